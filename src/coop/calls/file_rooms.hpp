// SPDX-License-Identifier: BSD-3-Clause
// FileRooms: of the files that are open, by which communicator their ranks wait for one another before a call, and before which
// calls they may. Not: which calls these are (files). Thread-safe.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <forward_list>
#include <mutex>
#include <optional>

namespace comity::coop {

// Whether none of the file's ranks is done before all have come. The same on all of them.
struct WaitsForAll {
  bool in_reads = false;
  bool in_writes = false;
};

class FileRooms {
 public:
  struct Room {
    MPI_File file;
    MPI_Comm ranks;
    WaitsForAll waits;
  };
  using New = std::forward_list<Room>;  // of one

  // Memory for a room. None: there is none.
  [[nodiscard]] static std::optional<New> make() {
    try {
      return New(1);
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }
  void add(New one, const Room& room) {
    one.front() = room;
    const std::lock_guard guard(mutex_);
    rooms_.splice_after(rooms_.before_begin(), one);
    any_.store(true, std::memory_order_release);
  }
  std::optional<MPI_Comm> remove(MPI_File file) {
    std::optional<MPI_Comm> ranks;
    change(file, [&](const Room& room) { ranks = room.ranks; });
    if (!ranks) return ranks;
    const std::lock_guard guard(mutex_);
    rooms_.remove_if([&](const Room& room) { return room.file == file; });
    return ranks;
  }
  [[nodiscard]] bool has(MPI_File file) {
    bool is_there = false;
    change(file, [&](const Room& /*room*/) { is_there = true; });
    return is_there;
  }
  void set(MPI_File file, WaitsForAll waits) {
    change(file, [&](Room& room) { room.waits = waits; });
  }
  // Where its ranks are to wait before a call of that kind.
  [[nodiscard]] std::optional<MPI_Comm> before(MPI_File file, bool WaitsForAll::*kind) {
    std::optional<MPI_Comm> ranks;
    change(file, [&](const Room& room) {
      if (room.waits.*kind) ranks = room.ranks;
    });
    return ranks;
  }

 private:
  template <typename Do>
  void change(MPI_File file, Do&& what) {
    if (!any_.load(std::memory_order_acquire)) return;
    const std::lock_guard guard(mutex_);
    const auto found = std::ranges::find(rooms_, file, &Room::file);
    if (found != rooms_.end()) what(*found);
  }

  std::atomic<bool> any_{false};  // most jobs never have one
  std::mutex mutex_;
  std::forward_list<Room> rooms_;
};

}  // namespace comity::coop
