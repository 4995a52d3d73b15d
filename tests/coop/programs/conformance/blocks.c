// SPDX-License-Identifier: BSD-3-Clause
#include "blocks.h"

int share_of_pair(int salt, int most, int one, int other) {
  const int low = one < other ? one : other, high = one < other ? other : one;
  const uint64_t drawn = mixed((uint64_t)salt << 32U ^ (uint64_t)low << 16U ^ (uint64_t)high);
  return drawn % 4 == 0 ? 0 : (int)(drawn / 4 % (uint64_t)(most + 1));
}

static struct Blocks places_for(int ranks, int most, struct Basic of, int backwards) {
  struct Blocks blocks = {.of = of, .type = of.type};
  for (int i = 0; i < ranks; ++i) {
    blocks.counts[i] = most;
    blocks.places[i] = (backwards ? ranks - 1 - i : i) * most;
    blocks.bytes[i] = blocks.places[i] * of.bytes;
    blocks.types[i] = of.type;
  }
  return blocks;
}

struct Blocks blocks_of_all(int ranks, int count, struct Basic of) {
  return places_for(ranks, count, of, draw(2));
}

struct Blocks blocks_of_ranks(int ranks, int most, struct Basic of) {
  struct Blocks blocks = places_for(ranks, most, of, draw(2));
  const int salt = draw(1 << 30);
  for (int i = 0; i < ranks; ++i) blocks.counts[i] = share_of_pair(salt, most, i, i);
  return blocks;
}

struct Blocks blocks_of_pairs(int ranks, int rank, int most, struct Basic of) {
  struct Blocks blocks = places_for(ranks, most, of, draw(2));
  const int salt = draw(1 << 30);
  for (int i = 0; i < ranks; ++i) blocks.counts[i] = share_of_pair(salt, most, rank, i);
  return blocks;
}

struct Blocks turned_around(const struct Blocks* of_two) {
  struct Blocks blocks = *of_two;
  blocks.counts[0] = of_two->counts[1];
  blocks.counts[1] = of_two->counts[0];
  return blocks;
}
