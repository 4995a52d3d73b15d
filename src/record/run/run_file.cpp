// SPDX-License-Identifier: BSD-3-Clause
#include "record/run/run_file.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "record/format/crc32c.hpp"
#include "record/format/header.hpp"
#include "record/run/body_start.hpp"

namespace comity::record {
namespace {

RunHeader header_for(std::uint64_t index_at, const Bytes& index) {
  RunHeader header{.magic = kRunMagic,
                   .version = kVersion,
                   .byte_order = kByteOrder,
                   .header_bytes = sizeof(RunHeader),
                   .index_checksum = crc32c(index),
                   .index_at = index_at,
                   .index_bytes = index.size(),
                   .reserved = 0,
                   .checksum = 0};
  header.checksum = checksum_of(header);
  return header;
}

}  // namespace

RunFile::RunFile(const os::Folder& folder, std::string name, std::string job)
    : file_(folder, std::move(name)), end_(sizeof(RunHeader)) {
  index_.job = std::move(job);
}

void RunFile::take_rank(const RankEntry& entry, std::span<const std::byte> body) {
  if (!is_of_a_job(entry)) {
    return take_note("rank " + std::to_string(entry.rank) + ", of node " + std::to_string(entry.node) +
                     ", is left out: no job is so large");
  }
  if (entry.rank >= has_.size()) has_.resize(entry.rank + 1);
  if (has_rank(entry.rank)) {
    return take_note("rank " + std::to_string(entry.rank) + " is there twice; the first is kept");
  }
  const auto content = without_start(body);
  RankEntry mine = entry;
  mine.body_at = end_;
  const Bytes start = body_start(mine, index_.job, content.size());
  os::write_at(file_.file(), start, end_);
  os::write_at(file_.file(), content, end_ + start.size());
  has_[entry.rank] = true;
  index_.ranks.push_back(mine);
  end_ += mine.body_bytes;
}

void RunFile::take_node(std::uint32_t node, const Summary& summary) {
  index_.nodes[node].merge(summary);
  index_.all.merge(summary);
}

void RunFile::take_note(const std::string& note) { index_.notes.push_back(note); }

void RunFile::write_index(std::uint32_t job_ranks) {
  index_.job_ranks = std::min(job_ranks, kMostRanks);
  std::sort(index_.ranks.begin(), index_.ranks.end(),
            [](const RankEntry& a, const RankEntry& b) { return a.rank < b.rank; });
  ByteWriter index;
  index_.encode(index);
  os::write_at(file_.file(), index.bytes(), end_);
  const RunHeader header = header_for(end_, index.bytes());
  os::write_at(file_.file(), std::as_bytes(std::span(&header, 1)), 0);
}

void RunFile::finish(std::uint32_t job_ranks) {
  write_index(job_ranks);
  file_.publish();
}

void RunFile::finish_over_old(std::uint32_t job_ranks) {
  write_index(job_ranks);
  file_.publish_over_old();
}

}  // namespace comity::record
