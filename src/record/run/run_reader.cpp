// SPDX-License-Identifier: BSD-3-Clause
#include "record/run/run_reader.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/error.hpp"
#include "os/files/folder.hpp"
#include "record/format/crc32c.hpp"
#include "record/format/header.hpp"
#include "record/merge/names.hpp"
#include "record/run/salvage.hpp"

namespace comity::record {
namespace {

[[noreturn]] void reject_folder(const os::Folder& folder) {
  const auto names = folder.names();
  const bool parts =
      std::any_of(names.begin(), names.end(), [](const std::string& name) { return is_record_file(name); });
  throw Error(Status::not_found, folder.path() + " holds no " + kRunFile +
                                     (parts ? "; merge what its job left first (comity report does)"
                                            : ", and nothing that one could be made of"));
}

// Who names a file that is not there is told so, and in the place of a link its file is to be named.
void require_file(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_type type = std::filesystem::symlink_status(path, ignored).type();
  if (type == std::filesystem::file_type::not_found) {
    throw Error(Status::not_found, "open the record " + path + ": there is no such file or folder");
  }
  if (type == std::filesystem::file_type::symlink) {
    throw Error(Status::system,
                "open the record " + path +
                    ": it is a link, and not to a folder; links to files are not followed: name the file");
  }
}

os::Descriptor open_run(std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    const os::Folder folder(path);
    if (!folder.has(kRunFile)) reject_folder(folder);
    path = folder.path() + '/' + kRunFile;
    return folder.open(kRunFile);
  }
  require_file(path);
  const std::filesystem::path file(path);
  return os::Folder(file.has_parent_path() ? file.parent_path().string() : ".").open(file.filename().string());
}

}  // namespace

RunReader::RunReader(const std::string& path, WithoutIndex without_index) : path_(path), file_(open_run(path_)) {
  const os::FileFacts facts = os::file_facts(file_);
  if (!facts.regular) throw Error(Status::argument, path_ + " is no record: it is no regular file");
  file_bytes_ = bodies_end_ = facts.bytes;
  try {
    read_index();
  } catch (const Error& error) {
    if (without_index == WithoutIndex::refuse || error.status() != Status::argument) throw;
    index_ = salvaged();
    if (index_.ranks.empty()) throw;
    index_damage_ = error.what();
  }
}

RunIndex RunReader::salvaged() const {
  return salvage([&](std::span<std::byte> into, std::uint64_t offset) { return os::read_at(file_, into, offset); },
                 bodies_end_);
}

void RunReader::read_index() {
  std::array<std::byte, sizeof(RunHeader)> start{};
  const std::size_t got = os::read_at(file_, start, 0);
  const RunHeader header = check_run_header(path_, std::span(start).first(got), file_bytes_);
  bodies_end_ = header.index_at;
  Bytes index(header.index_bytes);
  const bool whole = os::read_at(file_, index, header.index_at) == index.size();
  if (!whole || crc32c(index) != header.index_checksum) {
    throw Error(Status::argument, path_ + " is damaged: its index does not match its checksum");
  }
  try {
    ByteReader from(index);
    index_ = RunIndex::decode(from, header.index_at);
  } catch (const Error& error) {
    throw Error(error.status(), path_ + " is damaged: its index makes no sense: " + error.what());
  }
}

const RankEntry* RunReader::find(std::uint32_t rank) const {
  const auto found = std::lower_bound(index_.ranks.begin(), index_.ranks.end(), rank,
                                      [](const RankEntry& entry, std::uint32_t one) { return entry.rank < one; });
  return found != index_.ranks.end() && found->rank == rank ? &*found : nullptr;
}

bool RunReader::has_rank(std::uint32_t rank) const { return find(rank) != nullptr; }

std::uint32_t RunReader::missing_ranks() const {
  const auto found = static_cast<std::uint32_t>(index_.ranks.size());
  return index_.job_ranks > found ? index_.job_ranks - found : 0;
}

Bytes RunReader::body_bytes(const RankEntry& entry) const {
  Bytes body(entry.body_at < file_bytes_ ? std::min(entry.body_bytes, file_bytes_ - entry.body_at) : 0);
  body.resize(os::read_at(file_, body, entry.body_at));
  return body;
}

RankBody RunReader::rank(std::uint32_t rank, Parts parts) const {
  const RankEntry* const entry = find(rank);
  if (entry == nullptr) {
    throw Error(Status::not_found, path_ + " has no rank " + std::to_string(rank) + "; it has " +
                                       std::to_string(index_.ranks.size()) + " of the job's " +
                                       std::to_string(index_.job_ranks));
  }
  RankBody body{.entry = *entry, .content = {}, .is_damaged = false};
  const Scan scan = decode(body_bytes(*entry), body.content, parts);
  body.is_damaged = scan.end != ScanEnd::at_end_of_bytes || scan.stopped_at != entry->body_bytes;
  return body;
}

}  // namespace comity::record
