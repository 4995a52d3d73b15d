// SPDX-License-Identifier: BSD-3-Clause
// PageWriter: this process's live page. It stands in a memory file that is kept open, so others of the same user find it in
// /proc, and nothing is left of it when the process ends, however it ends. Not: how it is found and read (page_reader, search).
//
// Invariant: a call costs three stores into a row of the calling thread's own. A fork child writes nothing: the way to its
// rows leads through memory that the kernel empties in it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "live/format.hpp"
#include "os/files/descriptor.hpp"
#include "os/files/mapping.hpp"

namespace comity::live {

// What a rank is once MPI has begun.
struct Rank {
  std::uint64_t job = 0;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  std::string mpi;
};

// A way to the calling thread's row; where there is none (no page, no room, a fork child) it leads to null.
using Seat = Row* const*;

// One a process. Lives as long as the process, for threads write while it ends.
class PageWriter {
 public:
  // `functions`: the names that enter() gives the places of. Throws Status::system and Status::memory.
  explicit PageWriter(std::span<const std::string_view> functions);
  ~PageWriter();
  PageWriter(const PageWriter&) = delete;
  PageWriter& operator=(const PageWriter&) = delete;

  // On the thread that has called MPI_Init, after it; and after MPI_Finalize.
  void begin(const Rank& rank) noexcept;
  void end() noexcept;

  // Whether it is recorded whose the memory is; and what somebody outside wants of that, told once.
  void show(Recording recording) noexcept;
  [[nodiscard]] Recording take_wish() noexcept;

  // The calling thread is in the region of this path; empty: in none.
  static void turn_to(std::string_view region) noexcept;  // of whichever page the process has

  // The place of the name of the call that the calling thread is shown in, from 1 on; kOutside: in none. Takes no lock and no row, so that it
  // may be asked inside malloc.
  [[nodiscard]] static std::uint32_t call_of_this_thread() noexcept { return call_at(seat_); }
  // The same of another thread, by the way to its row, which it tells itself.
  [[nodiscard]] static Seat seat_of_this_thread() noexcept {
    (void)row_of_this_thread();
    return seat_;
  }
  [[nodiscard]] static std::uint32_t call_at(Seat seat) noexcept {
    Row* const row = *seat;
    return row == nullptr ? kOutside : std::atomic_ref(row->function).load(std::memory_order_relaxed);
  }

  // The memory file, for tests.
  [[nodiscard]] const os::Descriptor& file() const { return file_; }

 private:
  friend class InCall;
  static Row* row_of_this_thread() noexcept {
    Row* const row = *seat_;
    return row != nullptr ? row : find_row();
  }
  static Row* find_row() noexcept;
  Seat seat_in_page() noexcept;
  [[nodiscard]] Row* free_row() noexcept;
  [[nodiscard]] Header& header() const;
  [[nodiscard]] std::span<Row> rows() const;
  [[nodiscard]] bool is_ours() const;

  static Row* const kUntaken;  // where the seat of a thread leads that has not looked for one yet
  static constinit thread_local Seat seat_ __attribute__((tls_model("initial-exec")));

  os::Descriptor file_;
  os::Mapping page_;
  os::Mapping seats_;  // of Row*, one a row, and one that stays null
  std::mutex taking_;
};

// While it lives its thread is shown in a call. It takes the page that the process has, if it has one: a thread finds its row
// without asking whose it is.
class InCall {
 public:
  // function: the place of its name; since_ns: base/clock, 0 where nobody looked at it.
  InCall(std::uint32_t function, std::int64_t since_ns) noexcept {
    Row* const row = PageWriter::row_of_this_thread();
    if (row == nullptr) return;
    std::atomic_ref(row->since_ns).store(since_ns, std::memory_order_relaxed);
    std::atomic_ref(row->function).store(function + 1, std::memory_order_relaxed);
  }
  ~InCall() {  // of a fork child too, which was born inside the call: so it looks again
    Row* const row = *PageWriter::seat_;
    if (row != nullptr) std::atomic_ref(row->function).store(kOutside, std::memory_order_relaxed);
  }
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;
};

}  // namespace comity::live
