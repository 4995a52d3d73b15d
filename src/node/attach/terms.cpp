// SPDX-License-Identifier: BSD-3-Clause
#include "node/attach/terms.hpp"

#include <algorithm>
#include <string_view>

#include "base/hash.hpp"

namespace comity::node {
namespace {

constexpr std::string_view kLeftOut = "..";

// Two machines are told apart by chance alone, and nobody profits from a clash.
std::uint64_t hash_of(std::string_view words) {
  Hash hash;
  hash.add(words);
  return hash.value();
}

// Both ends: paths differ at theirs.
template <std::size_t kSize>
void copy_ends(std::string_view words, std::array<char, kSize>& into) {
  constexpr std::size_t kMost = kSize - 1;
  into.fill(0);
  if (words.size() <= kMost) {
    std::ranges::copy(words, into.begin());
    return;
  }
  constexpr std::size_t kHead = (kMost - kLeftOut.size()) / 2;
  auto* end = std::ranges::copy(words.substr(0, kHead), into.begin()).out;
  end = std::ranges::copy(kLeftOut, end).out;
  std::ranges::copy(words.substr(words.size() - (kMost - kHead - kLeftOut.size())), end);
}

std::string named(const Terms& terms) { return terms.source_words[0] == 0 ? "nothing" : terms.source_words.data(); }

[[noreturn]] void reject_handover(const Terms& one, const Terms& other) {
  throw Error(Status::option, std::string("share the node: COMITY_NODE_HANDOVER is ") + one.handover.data() +
                                  " on rank " + std::to_string(one.job_rank) + " of the job and " +
                                  other.handover.data() + " on rank " + std::to_string(other.job_rank) +
                                  "; give all ranks the same word");
}

[[noreturn]] void reject_source(const Terms& one, const Terms& other) {
  throw Error(Status::topology, "ranks of a node name different machines: rank " + std::to_string(one.job_rank) +
                                    " by " + named(one) + ", rank " + std::to_string(other.job_rank) + " by " +
                                    named(other) + "; set the same on all");
}

}  // namespace

void set_handover(Terms& terms, const std::string& handover) { copy_ends(handover, terms.handover); }

void set_source(Terms& terms, const std::string& source) {
  terms.source_hash = hash_of(source);
  copy_ends(source, terms.source_words);
}

void require_same_terms(std::span<const Terms> all) {
  for (const Terms& other : all) {
    if (other.handover != all.front().handover) reject_handover(all.front(), other);
  }
  if (std::string_view(all.front().handover.data()) == "none") return;  // each makes its own payload
  for (const Terms& other : all) {
    const Terms& leader = all[other.leader];
    if (other.source_hash != leader.source_hash) reject_source(leader, other);
  }
}

}  // namespace comity::node
