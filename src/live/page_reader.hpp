// SPDX-License-Identifier: BSD-3-Clause
// What a live page says, read from a copy of its bytes. A page is what a program has written, so nothing in it is believed:
// each place is checked, texts lose what a terminal would act on, and what makes no sense is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "live/format.hpp"

namespace comity::live {

struct ThreadView {
  std::uint32_t thread = 0;   // in the rank's own pid namespace
  std::string function;       // "MPI_Recv"; empty: in no call
  std::int64_t since_ns = 0;  // when that began, CLOCK_MONOTONIC; 0: not known
  std::string region;         // "step/solve"; empty: in none
};

struct PageView {
  std::uint32_t process = 0;  // in its own pid namespace
  Phase phase = Phase::before_init;
  std::uint32_t main_thread = 0;  // 0: not known yet
  std::uint32_t rank = 0;         // this and what follows from in_run on
  std::uint32_t ranks = 1;
  std::uint64_t job = 0;
  std::string mpi;
  std::string host;
  std::uint32_t untold_threads = 0;
  Recording recording = Recording::none;
  std::vector<ThreadView> threads;
};

// Throws Status::argument (no page, or a damaged one), Status::version (a newer one: both numbers), Status::unsupported
// (another byte order); Status::order where the page is still being made.
[[nodiscard]] PageView read_page(std::span<const std::byte> copy);

}  // namespace comity::live
