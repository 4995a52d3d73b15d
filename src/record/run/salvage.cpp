// SPDX-License-Identifier: BSD-3-Clause
#include "record/run/salvage.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "record/format/chunk.hpp"
#include "record/format/header.hpp"
#include "record/run/body_start.hpp"

namespace comity::record {
namespace {

class Search {
 public:
  Search(const ReadAt& read, std::uint64_t bodies_end) : read_(read), end_(bodies_end) {}

  // The first body that starts at `at` or behind it: as a rule there, for bodies stand one behind the other.
  [[nodiscard]] std::optional<BodyStart> next(std::uint64_t at) const {
    if (auto found = body_start_in(bytes_at(at, kMostStart_bytes), at)) return found;
    for (; at < end_; at += kWindow_bytes) {
      if (auto found = first_in(bytes_at(at, kWindow_bytes + kMostStart_bytes), at)) return found;
    }
    return std::nullopt;
  }

  [[nodiscard]] Bytes bytes_at(std::uint64_t at, std::uint64_t most_bytes) const {
    Bytes bytes(at < end_ ? std::min(most_bytes, end_ - at) : 0);
    bytes.resize(read_(bytes, at));
    return bytes;
  }

 private:
  static constexpr std::size_t kWindow_bytes = std::size_t{1} << 20U;

  // Bodies begin at whole words.
  [[nodiscard]] static std::optional<BodyStart> first_in(std::span<const std::byte> window, std::uint64_t at) {
    for (std::size_t i = 0; i < std::min(window.size(), kWindow_bytes); i += kChunkWord_bytes) {
      if (auto found = body_start_in(window.subspan(i), at + i)) return found;
    }
    return std::nullopt;
  }

  const ReadAt& read_;
  std::uint64_t end_;
};

void note_gap(RunIndex& index, std::uint64_t from, std::uint64_t to) {
  if (to <= from) return;
  index.notes.push_back("of " + std::to_string(to - from) + " bytes from byte " + std::to_string(from) +
                        " on nobody can tell whose they are");
}

void sort_by_rank(RunIndex& index) {
  const auto by_rank = [](const RankEntry& a, const RankEntry& b) { return a.rank < b.rank; };
  const auto same_rank = [](const RankEntry& a, const RankEntry& b) { return a.rank == b.rank; };
  std::stable_sort(index.ranks.begin(), index.ranks.end(), by_rank);
  const auto again = std::unique(index.ranks.begin(), index.ranks.end(), same_rank);
  if (again != index.ranks.end()) index.notes.emplace_back("some ranks are there twice; the first of each is kept");
  index.ranks.erase(again, index.ranks.end());
  if (!index.ranks.empty()) index.job_ranks = index.ranks.back().rank + 1;
}

// Of the chunks up to the first that does not hold.
void sum_up(RunIndex& index, const Search& search) {
  for (const RankEntry& entry : index.ranks) {
    Content content;
    (void)decode(search.bytes_at(entry.body_at, entry.body_bytes), content, Parts::fixed);
    index.nodes[entry.node].merge(Summary(entry.rank, content));
  }
  for (const auto& [node, summary] : index.nodes) index.all.merge(summary);
}

}  // namespace

RunIndex salvage(const ReadAt& read, std::uint64_t bodies_end) {
  const Search search(read, bodies_end);
  RunIndex index;
  std::uint64_t at = sizeof(RunHeader);
  while (std::optional<BodyStart> found = search.next(at)) {
    note_gap(index, at, found->entry.body_at);
    at = found->entry.body_at + found->entry.body_bytes;
    if (index.ranks.empty()) index.job = std::move(found->job);
    index.ranks.push_back(found->entry);
  }
  sort_by_rank(index);
  sum_up(index, search);
  return index;
}

}  // namespace comity::record
