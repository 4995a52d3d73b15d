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

void RunFile::begin_rank(const RankEntry& entry) {
  taken_.reset();
  taken_bytes_ = 0;
  if (!is_of_a_job(entry)) {
    return take_note("rank " + std::to_string(entry.rank) + ", of node " + std::to_string(entry.node) +
                     ", is left out: no job is so large");
  }
  if (has_rank(entry.rank)) {
    return take_note("rank " + std::to_string(entry.rank) + " is there twice; the first is kept");
  }
  taken_ = entry;
  taken_->body_at = end_;
}

// The start tells how long the body is: room is left for it.
void RunFile::take_piece(std::span<const std::byte> piece) {
  if (!taken_) return;
  const auto content = taken_bytes_ == 0 ? without_start(piece) : piece;
  os::write_at(file_.file(), content, end_ + body_start(*taken_, index_.job, 0).size() + taken_bytes_);
  taken_bytes_ += content.size();
}

void RunFile::end_rank(BodyEnd end) {
  if (!taken_ || end == BodyEnd::broken) return taken_.reset();
  const Bytes start = body_start(*taken_, index_.job, taken_bytes_);
  os::write_at(file_.file(), start, end_);
  if (taken_->rank >= has_.size()) has_.resize(taken_->rank + 1);
  has_[taken_->rank] = true;
  index_.ranks.push_back(*taken_);
  end_ += taken_->body_bytes;
  taken_.reset();
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
