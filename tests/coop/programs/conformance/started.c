// SPDX-License-Identifier: BSD-3-Clause
#include "started.h"

enum { kBroadcast = 1, kOfPairs = 9, kReductions = 11, kScatters = 13, kScattersBlock = 14, kExscan = 16 };

int defined_ints(int is_scattered, int count, int own, int all, struct Basic of) {
  return is_scattered ? (count < own ? count : own) * of.bytes / (int)sizeof(int) : all;
}

// Even, so that each finds its numbers where they may be of eight bytes.
int some_started_ints(void) { return 2 * (draw(3) == 0 ? 1000 : draw(25)); }

struct Started some_started(int which, int ints, int root, int* to) {
  struct Started s = {.which = which, .ints = ints, .root = root, .in_place = draw(2), .to = to};
  const struct Basic of = which < kReductions ? some_type() : some_integer();
  const int of_pairs = which == kOfPairs || which == kOfPairs + 1;
  s.count = count_of(ints, of);
  s.blocks = of_pairs ? blocks_of_pairs(size, me, s.count, of) : blocks_of_ranks(size, s.count, of);
#ifdef OPEN_MPI
  if (of_pairs) s.in_place = 0;  // 4.1 takes one rank's counts for another's there
#endif
  return s;
}

void fill_started(const struct Started* s) {
  const size_t bytes = sizeof s->to[0] * (size_t)(s->ints * size);
  if (s->in_place || s->which == kBroadcast) {
    memcpy(s->to, out, bytes);
  } else {
    memset(s->to, 0x5A, bytes);
  }
}

void add_started(const struct Started* s) {
  const int is_scattered = s->which == kScatters || s->which == kScattersBlock;
  const int own = s->which == kScatters ? s->blocks.counts[me] : s->count;
  if (s->which == kExscan && me == 0) return;  // what it gets is undefined
  add_ints(s->to, defined_ints(is_scattered, s->count, own, s->ints * size, s->blocks.of));
}
