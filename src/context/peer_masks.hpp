// SPDX-License-Identifier: BSD-3-Clause
// PeerMasks: the masks of a node's ranks as of the last collective call, packed into the words that this machine needs.
// Invariant: `version` grows whenever a mask differs from the one before, so results may be kept by version.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/cpu_set.hpp"

namespace comity::context {

class PeerMasks {
 public:
  PeerMasks(std::size_t ranks, std::size_t words_per_mask)
      : words_per_mask_(words_per_mask), words_(ranks * words_per_mask) {}

  [[nodiscard]] std::size_t words_per_mask() const { return words_per_mask_; }
  [[nodiscard]] std::size_t size() const { return words_.size() / words_per_mask_; }
  [[nodiscard]] std::uint64_t version() const { return version_; }

  [[nodiscard]] std::span<const std::uint64_t> words() const { return words_; }  // of all, rank by rank
  [[nodiscard]] CpuSet mask(std::size_t rank) const {
    CpuSet set;
    std::copy_n(words_.begin() + static_cast<std::ptrdiff_t>(rank * words_per_mask_), words_per_mask_,
                set.words().begin());
    return set;
  }

  // All masks at once, rank by rank, `words_per_mask` words each.
  void replace(std::span<const std::uint64_t> words) {
    if (std::equal(words.begin(), words.end(), words_.begin(), words_.end())) return;
    words_.assign(words.begin(), words.end());
    ++version_;
  }

 private:
  std::size_t words_per_mask_;
  std::vector<std::uint64_t> words_;
  std::uint64_t version_ = 1;
};

}  // namespace comity::context
