// SPDX-License-Identifier: BSD-3-Clause
#include "record/rank_file.hpp"

#include <atomic>
#include <chrono>
#include <cstring>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "os/kernel.hpp"

namespace comity::record {
namespace {

constexpr mode_t kOwnerOnly = 0600;
constexpr std::uint64_t kWriterByte = 0;  // of the lock

std::int64_t wall_ns() {
  return std::chrono::duration_cast<Nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

os::Descriptor create(const os::Folder& folder, const std::string& name) {
  if (!folder.has(name)) return folder.create(name, kOwnerOnly);
  throw Error(Status::system,
              "make the record " + folder.path() + '/' + name +
                  ": it is there, left by an earlier job of this name; comity report reads it, or remove it");
}

}  // namespace

RankFile::RankFile(const os::Folder& folder, const std::string& name, const Identity& who, std::uint64_t most_bytes)
    : half_bytes_((most_bytes - sizeof(RankHeader)) / 16 * 8), file_(create(folder, name)) {
  try {
    make(folder, name, who);
  } catch (const Error& error) {
    folder.remove(name);
    throw Error(error.status(), "make the record " + folder.path() + '/' + name + ": " + error.what());
  } catch (...) {
    folder.remove(name);
    throw;
  }
}

void RankFile::make(const os::Folder& folder, const std::string& name, const Identity& who) {
  const std::uint64_t whole = sizeof(RankHeader) + 2 * half_bytes_;
  lock_ = std::make_unique<os::OfdLock>(os::reopen(file_), kWriterByte);
  os::reserve(file_, 0, sizeof(RankHeader) + half_bytes_);
  allocated_[0] = true;
  try {
    mapping_ = os::Mapping::shared(file_, whole);
    memory_ = mapping_.bytes();
  } catch (const Error& error) {
    log::info("record", folder.path() + '/' + name + " is written and not mapped: " + error.what());
    plain_.resize(whole);
    memory_ = plain_;
  }
  write_header(who);
}

// The magic number last: a file without it is one that was being made.
void RankFile::write_header(const Identity& who) {
  RankHeader header{.magic = 0,
                    .version = kVersion,
                    .byte_order = kByteOrder,
                    .header_bytes = sizeof(RankHeader),
                    .rank = who.rank,
                    .ranks = who.ranks,
                    .node = who.node,
                    .half_bytes = half_bytes_,
                    .opened_ns = now_ns(),
                    .opened_wall_ns = wall_ns(),
                    .process = static_cast<std::uint64_t>(os::process_id()),
                    .generation = 0,
                    .reserved = 0,
                    .checksum = 0};
  header.magic = kRankMagic;
  header.checksum = checksum_of(header);
  const auto bytes = std::as_bytes(std::span(&header, 1));
  std::memcpy(memory_.data() + sizeof(header.magic), bytes.data() + sizeof(header.magic),
              bytes.size() - sizeof(header.magic));
  if (!is_mapped()) os::write_at(file_, memory_.first(sizeof(header)), 0);
  std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory_.data())).store(kRankMagic, std::memory_order_release);
  if (!is_mapped()) os::write_at(file_, memory_.first(sizeof(header.magic)), 0);
}

std::uint64_t RankFile::offset_of(std::uint64_t generation) const {
  return sizeof(RankHeader) + generation % 2 * half_bytes_;
}

std::span<std::byte> RankFile::half(std::uint64_t generation) {
  if (!allocated_[generation % 2]) {
    os::reserve(file_, offset_of(generation), half_bytes_);
    allocated_[generation % 2] = true;
  }
  return memory_.subspan(offset_of(generation), half_bytes_);
}

void RankFile::let_go(std::uint64_t generation, std::size_t end) noexcept {
  if (is_mapped()) os::Mapping::let_go_of_file_pages(memory_.subspan(offset_of(generation), end));
}

void RankFile::publish(std::uint64_t generation) {
  constexpr std::size_t kAt = offsetof(RankHeader, generation);
  auto& word = *reinterpret_cast<std::uint64_t*>(memory_.data() + kAt);
  std::atomic_ref(word).store(generation, std::memory_order_release);
  if (!is_mapped()) os::write_at(file_, memory_.subspan(kAt, sizeof(generation)), kAt);
}

void RankFile::write_through(std::uint64_t generation, std::size_t from, std::size_t end) {
  if (is_mapped() || from >= end) return;
  const std::uint64_t at = offset_of(generation) + from;
  os::write_at(file_, memory_.subspan(at, end - from), at);
}

}  // namespace comity::record
