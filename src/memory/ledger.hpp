// SPDX-License-Identifier: BSD-3-Clause
// Ledger: what libcomity_memory.so knows of its process, for who finds it there: a table of functions in C, so that
// neither needs the other to be loaded. Not: how it comes to know (hooks). A later version adds at the end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace comity::memory {

inline constexpr std::uint32_t kLedgerVersion = 1;
inline constexpr const char* kLedgerName = "comity_memory_ledger";  // of the function that gives the table

// What a component has, in bytes. Peaks are of the whole run, each of its own moment.
struct LedgerSum {
  std::int64_t small;          // blocks below 64 KiB, as they were asked for
  std::int64_t ranges;         // larger blocks and mappings, resident or not
  std::int64_t seen;           // of these, what was resident when they were last looked at
  std::int64_t most_asked;     // of small and ranges
  std::int64_t most_resident;  // of small and seen
};

struct LedgerRange {
  std::uint64_t start;
  std::uint64_t bytes;
  std::uint64_t seen;
  std::uint8_t component;
  std::uint8_t is_shared;  // mapped with other processes, or from a file
  std::uint8_t is_block;   // of malloc's; else a mapping that somebody made
};

// All may be called by any thread at any time, and allocate nothing.
struct Ledger {
  std::uint32_t version;
  std::uint32_t bytes;            // of this table
  std::uint32_t (*components)();  // their numbers are below it
  // With a zero at its end; null for a number that is none.
  const char* (*name)(std::uint32_t component);
  void (*sum)(std::uint32_t component, LedgerSum* into);
  // How many ranges there are; as many of them as there is room for are written.
  std::size_t (*ranges)(LedgerRange* into, std::size_t room);
  // Looks what is resident. False: it was not due (and `now` was 0), or another thread is at it.
  int (*look)(int now);
  std::uint64_t (*unknown_blocks)();  // that were freed, and nobody knew whose they were
};

using LedgerFunction = const Ledger* (*)();

}  // namespace comity::memory
