// SPDX-License-Identifier: BSD-3-Clause
// Writer: a rank's side of a record. It keeps facts, tables, series and spans in a file that is bounded and that can be read
// after a kill at any instruction. Not: what is worth recording (metrics, memory), what becomes of the file (merge).
//
// When a half of the file is full, its content goes to the other half with neighbours in time merged, and that half is made
// the one that counts in one store. Room is shared so that this always helps: facts and tables may take a half of a half, the
// names of streams and one entry of each a quarter.
//
// After the constructor nothing throws. A failure ends the recording with one line, and the program goes on. Any thread may
// call; a fork child's calls do nothing, for the file is its parent's. A merge allocates memory and takes some milliseconds
// at the default budget; all else neither allocates nor calls the kernel where the file is mapped, but for facts, tables and
// names, and for one call each quarter of a MiB: what is written leaves the process, whose memory is the program's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/held_mutex.hpp"
#include "os/files/folder.hpp"
#include "record/format/chunk.hpp"
#include "record/format/header.hpp"
#include "record/format/payload.hpp"
#include "record/format/table.hpp"
#include "record/merge/incomplete.hpp"
#include "record/rank_file.hpp"

namespace comity::record {

inline constexpr std::uint64_t kDefaultBudget_bytes = 4U << 20U;
inline constexpr std::uint64_t kLeastBudget_bytes = 16U << 10U;
inline constexpr std::uint64_t kMostBudget_bytes = 1U << 30U;

// What series() and spans() give; a null one is for what found no room, and recording to it does nothing.
struct SeriesRef {
  StreamId id = std::numeric_limits<StreamId>::max();
};
struct SpansRef {
  StreamId id = std::numeric_limits<StreamId>::max();
};

class Writer {
 public:
  // Makes the file rank-<rank>.comity. Throws Status::range for a budget out of range, Status::memory where the file system is
  // full, Status::system where it is refused.
  Writer(const os::Folder& folder, const Identity& who, std::uint64_t budget_bytes = kDefaultBudget_bytes);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // The last value of a key counts. False, told once in the log and by the fact "incomplete" as long as it is so: there
  // is no room.
  bool set_fact(std::string_view key, std::string_view value) noexcept;
  // A snapshot; the last one of a name counts. False as above: then the one before still counts.
  bool put_table(const Table& table) noexcept;

  // The same names give the same stream.
  [[nodiscard]] SeriesRef series(std::string_view name) noexcept;
  [[nodiscard]] SpansRef spans(std::string_view lane, std::string_view name) noexcept;

  void sample(SeriesRef series, std::int64_t time_ns, double value) noexcept;
  void span(SpansRef spans, std::int64_t begin_ns, std::int64_t end_ns) noexcept;

  // The record is whole. What comes later is not recorded; a second close does nothing. Until this object ends others see that
  // the file is in use.
  void close() noexcept;

  // False once a failure has ended it, or after close(), and in a fork child.
  [[nodiscard]] bool is_recording() const noexcept;
  [[nodiscard]] const std::string& path() const { return path_; }
  // How often content was merged to make room.
  [[nodiscard]] std::uint64_t generations() const noexcept;

 private:
  enum class State { recording, closed, failed };

  template <typename Step>
  bool guarded(Step&& step) noexcept;
  // Tables leave some to facts that come later, as the end.
  [[nodiscard]] std::size_t room_bytes(const std::map<std::string, std::size_t>& sizes) const;
  bool accept_fixed(std::map<std::string, std::size_t>& sizes, const std::string& name, std::size_t bytes);
  void refuse(const std::string& what);
  void accept(const std::string& what);
  void tell_incomplete();
  void append(ChunkType type, std::span<const std::byte> payload);
  void make_room(ChunkType type, std::span<const std::byte> payload);
  void let_go(std::uint64_t generation, const ChunkAppender& chunks) noexcept;
  void settle(std::size_t most_unwritten_bytes);
  [[nodiscard]] std::vector<StreamName> streams() const;
  StreamId declare(std::map<std::string, StreamId>& known, const std::string& key, const StreamName& stream);
  void stop(const char* why) noexcept;

  const std::string path_;
  RankFile file_;
  mutable HeldMutex mutex_;  // guards all below, and what stands in the file
  State state_ = State::recording;
  std::uint64_t generation_ = 0;
  ChunkAppender chunks_;
  std::size_t written_ = 0;       // [bytes] of this generation that are in the file; for one that is not mapped
  std::size_t let_go_bytes_ = 0;  // that have left the process; of one that is
  std::map<std::string, std::size_t> facts_;   // [bytes] of each one's chunk
  std::map<std::string, std::size_t> tables_;  // the same of the last snapshots
  std::size_t fixed_bytes_ = 0;                // sum of both
  std::map<std::string, StreamId> series_;
  std::map<std::string, StreamId> spans_;
  std::size_t stream_bytes_ = 0;  // what all streams take at the least
  Incomplete incomplete_;
  bool said_incomplete_ = false;
};

}  // namespace comity::record
