// SPDX-License-Identifier: BSD-3-Clause
#include "record/rank_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "os/files/ofd_lock.hpp"

namespace comity::record {
namespace {

constexpr std::uint64_t kMostFile_bytes = 2ULL << 30U;  // no writer makes a larger one

// Its header alone; `whole_bytes`: how long the file is.
Bytes read_begin(const os::Descriptor& file, const std::string& path, std::uint64_t& whole_bytes) {
  const os::FileFacts facts = os::file_facts(file);
  if (!facts.regular) throw Error(Status::argument, path + " is no record: it is no regular file");
  if (facts.bytes > kMostFile_bytes) {
    throw Error(Status::argument, path + " is no record of a rank: it has " + std::to_string(facts.bytes) + " bytes");
  }
  whole_bytes = facts.bytes;
  Bytes bytes(std::min<std::uint64_t>(facts.bytes, sizeof(RankHeader)));
  bytes.resize(os::read_at(file, bytes, 0));
  return bytes;
}

std::uint64_t generation_of(const os::Descriptor& file) {
  std::uint64_t generation = 0;
  static_cast<void>(
      os::read_at(file, std::as_writable_bytes(std::span(&generation, 1)), offsetof(RankHeader, generation)));
  return generation;
}

// The half that counts, and not the other one: who merges a rank's record holds it beside the file. Of a file that was cut off, what is
// left of it.
Bytes read_half(const os::Descriptor& file, const RankHeader& header, std::uint64_t whole_bytes) {
  const std::uint64_t offset = half_offset(header);
  if (offset > whole_bytes) return {};
  Bytes bytes(std::min<std::uint64_t>(whole_bytes - offset, header.half_bytes));
  bytes.resize(os::read_at(file, bytes, offset));
  return bytes;
}

os::Folder parent_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  return os::Folder(parent.empty() ? "." : parent.string());
}

}  // namespace

RankReader::RankReader(const std::string& path)
    : RankReader(parent_of(path), std::filesystem::path(path).filename().string()) {}

RankReader::RankReader(const os::Folder& folder, const std::string& name) {
  read(folder.open(name), folder.path() + '/' + name);
}

// A writer at work may have begun the next generation but one, in the half that is read here, while it was read: then its
// number has changed meanwhile, and it is read again. The smallest budget lasts such a writer for some microseconds, about as
// long as a reading takes: so there are many attempts. The number is asked for on its own, before and after: a copy of the
// whole file may take its halves before its header, and so an older half with a newer number.
void RankReader::read(const os::Descriptor& file, const std::string& path) {
  constexpr int kAttempts = 1000;
  std::optional<std::uint64_t> torn_at;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::uint64_t generation = generation_of(file);
    std::uint64_t whole_bytes = 0;
    header_ = check_rank_header(path, read_begin(file, path, whole_bytes));
    header_.generation = generation;
    const Bytes half = read_half(file, header_, whole_bytes);
    if (generation != generation_of(file) && attempt + 1 < kAttempts) continue;
    content_ = {};
    scan_ = decode(half, content_);
    stopped_at_ = half_offset(header_) + scan_.stopped_at;
    // What is torn here and whole the next time was just being written, and copied in another order.
    if (!is_damaged() || torn_at == stopped_at_) break;
    torn_at = stopped_at_;
  }
  who_ = {.rank = header_.rank, .ranks = header_.ranks, .node = header_.node};
  in_use_ = os::somebody_locks(file);
}

std::string RankReader::state() const {
  if (is_damaged()) return "damaged at byte " + std::to_string(stopped_at_);
  if (ended_well()) return "ended";
  return in_use_ ? "in use" : "did not end";
}

}  // namespace comity::record
