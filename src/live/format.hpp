// SPDX-License-Identifier: BSD-3-Clause
// The live page byte by byte: what a rank shows of itself while it runs, and a word by which it is asked for something.
// Fixed-width structs; docs/top.md describes them.
// Changing anything here raises kVersion.
//
//   Header | rows, one a thread | names of functions, each ended by a zero byte
//
// Shared without a lock: each word is written by one thread, at any moment, so a reader takes a copy and believes no word of it.
// Words beside each other need not belong together, but for a region's path, which says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace comity::live {

// The name of the memory file, and how /proc/PID/fd tells of it.
inline constexpr const char* kFileName = "comity-live";
inline constexpr const char* kLinkText = "/memfd:comity-live (deleted)";

inline constexpr std::uint64_t kMagic = 0x6576696C796D6F63;  // "comylive" in memory, low byte first
inline constexpr std::uint32_t kVersion = 2;
inline constexpr std::uint32_t kByteOrder = 0x01020304;
inline constexpr std::uint32_t kRows = 256;            // threads beyond are only counted
inline constexpr std::uint64_t kMost_bytes = 1 << 20;  // a file that is larger is no page

// Where the process stands with MPI.
enum class Phase : std::uint32_t { before_init, in_run, after_finalize };

// Whether a rank records whose its memory is; as a wish none is no wish.
enum class Recording : std::uint32_t { none, on, off };

struct Header {
  std::uint64_t magic;  // written last; magic, version, byte_order, header_bytes keep their place in every version
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint32_t header_bytes;
  std::uint32_t total_bytes;
  std::uint32_t rows_at;  // [bytes] from the start, as all places
  std::uint32_t row_bytes;
  std::uint32_t rows;
  std::uint32_t names_at;
  std::uint32_t names_bytes;
  std::uint32_t functions;
  std::uint32_t process;  // in its own pid namespace; a fork child has its parent's page open, and another number
  // Written while the page is shown.
  std::uint32_t phase;
  std::uint32_t main_thread;  // the one that called MPI_Init, in its own pid namespace; 0 before
  std::uint32_t rank;         // in MPI_COMM_WORLD, once in_run
  std::uint32_t ranks;
  std::uint32_t untold_threads;  // how many found no row
  std::uint64_t job;             // the same on all ranks of one MPI_COMM_WORLD, once in_run
  char host[64];                 // ended by a zero byte, as mpi
  char mpi[64];
  std::uint32_t recording;       // Recording
  std::uint32_t recording_wish;  // the only word that others write; the rank takes it away
};
static_assert(sizeof(Header) == 216 && std::is_standard_layout_v<Header>);

inline constexpr std::uint32_t kOutside = 0;  // Row::function of a thread that is in no call
inline constexpr std::size_t kRegion_bytes = 100;

struct alignas(64) Row {
  std::uint32_t thread;    // the kernel's number in its own pid namespace; 0: no thread
  std::uint32_t function;  // the place of its name, from 1 on; kOutside
  std::int64_t since_ns;   // when that call began, CLOCK_MONOTONIC; 0: not known
  std::uint32_t region_after;
  std::uint32_t region_bytes;
  char region[kRegion_bytes];   // the path of the region that it is in; of a longer one "..", and its end
  std::uint32_t region_before;  // counted up before the path is written, region_after after it: equal where it is whole
};
static_assert(sizeof(Row) == 128 && std::is_standard_layout_v<Row>);

}  // namespace comity::live
