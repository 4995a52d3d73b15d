// SPDX-License-Identifier: BSD-3-Clause
// Ledger: what libcomity_memory.so knows of its process, for who finds it there: a table of functions in C, so that
// neither needs the other to be loaded. Not: how it comes to know (hooks). A later version adds at the end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace comity::memory {

inline constexpr std::uint32_t kLedgerVersion = 8;
inline constexpr const char* kLedgerName = "comity_memory_ledger";  // of the function that gives the table

// What a component has, in bytes. Peaks are each of its own moment, of the whole run, but for what was resident (begin_peaks).
struct LedgerSum {
  std::int64_t small;           // blocks below 64 KiB, as they were asked for
  std::int64_t ranges;          // larger blocks and mappings, resident or not
  std::int64_t seen;            // of these, what was resident when they were last looked at
  std::int64_t most_asked;      // of small and ranges
  std::int64_t most_resident;   // of small and seen, without what nobody touched, since its peaks began
  std::int64_t untouched;       // of small, what is not known to be resident
  std::int64_t most_untouched;  // of that, what was known not to be, at a look

  [[nodiscard]] constexpr std::int64_t resident() const { return small - untouched + seen; }
};

struct LedgerRange {
  std::uint64_t start;
  std::uint64_t bytes;
  std::uint64_t seen;
  std::uint8_t component;
  std::uint8_t is_shared;  // mapped with other processes, or from a file
  std::uint8_t is_block;   // of malloc's; else a mapping that somebody made
  std::uint16_t site;      // from where it was asked for
};

// A place of code that asked for memory. The first 64 stand for all of a component's that have no number of
// their own, and have no object.
struct LedgerSite {
  const char* object;  // its path, not ended by a zero; of the program ""
  std::uint32_t object_bytes;
  std::uint8_t component;
  std::uint64_t offset;   // of the return address, from where the object is loaded
  std::uint64_t address;  // that one, now; 0: the object is not there any more
  std::uint32_t caller;   // the place that has called it; 0: the outermost one, or paths are not told
};

// What a place has by the path that led to it, where paths are told.
struct LedgerSiteSum {
  std::int64_t bytes;
  std::int64_t most_bytes;
  std::int64_t asked_bytes;  // in all
  std::int64_t times;        // that it asked
};

struct LedgerHeld {
  std::int64_t bytes;  // as they were asked for
  std::int64_t blocks;
};

// Where a thread is, as somebody tells who was asked to.
struct LedgerWhere {
  const char* call;          // a name that lives as long as the process, not ended by a zero
  std::uint32_t call_bytes;  // 0: nobody tells
  std::uint32_t region;      // any number: whoever asks later knows what it means
};
using LedgerAsk = LedgerWhere (*)(void* whom);

// What was resident when it was looked because something was about to go, if there was no more at such a look since peaks began; of all, ever.
struct LedgerPeak {
  std::int64_t bytes;    // 0: none was found
  std::int64_t time_ns;  // base/clock
  LedgerWhere where;     // of the thread that was about to give something back
  std::int64_t known;    // of all that is resident: what all components had of it in blocks and mappings
};
inline constexpr std::uint32_t kAllThatIsResident = UINT32_MAX;  // beside the numbers of components

// Of the clock that a node's ranks share: at its steps they look, those that wait for one another at once.
inline constexpr std::int64_t kLookStep_ns = 10'000'000;

// Looks of each of five kinds (ranges, exact counts, what nobody asked for, borders of regions, what is held) take this part of the time, so all
// together a hundredth.
inline constexpr std::int64_t kPartOfTime = 500;

enum class LedgerLook : std::uint8_t {
  if_due,  // a 500th of the time at the most
  now,
  soon,  // five milliseconds beside that: the process has grown
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
  // Looks what is resident, as LedgerLook says. False: it was not due, or another thread is at it, which `now` and `soon` have waited for (hooks/look).
  int (*look)(int when);
  std::uint64_t (*unknown_blocks)();  // that were freed, and nobody knew whose they were
  std::uint32_t (*sites)();           // their numbers are below it
  void (*site)(std::uint32_t number, LedgerSite* into);
  void (*keep_peaks)(int keep);  // 0: what comes and goes leaves no peak behind
  // Adds, by site, the small blocks whose ends lie in a copy of memory that begins at `start`, which is a multiple of 8; sites
  // from `room` on are left out.
  void (*blocks_in)(const void* copy, std::size_t bytes, std::uint64_t start, LedgerHeld* by_site, std::uint32_t room);
  // Of the components from `first` on, as many as there is room for: costs little more than one.
  void (*sums)(std::uint32_t first, LedgerSum* into, std::uint32_t room);
  int (*tells_paths)();
  void (*site_sum)(std::uint32_t number, LedgerSiteSum* into);
  // [bytes] What is resident and of no block, range or heap. What then remains of all is the most that small blocks can have.
  void (*beside)(std::int64_t bytes);
  // Has `whom` asked where a thread is that is about to give something back, inside malloc and munmap: who answers allocates nothing and
  // takes no lock. Null: nobody is asked any more, but for threads that were just asking: `whom` must outlive all that may.
  void (*ask_where)(LedgerAsk where, void* whom);
  std::uint32_t (*looks_before_releases)();  // how many there were: without a new one no peak of them is new
  // Of a component, or of kAllThatIsResident.
  void (*found_peak)(std::uint32_t component, LedgerPeak* into);
  // Has peaks of what is resident begin anew, of all components but not of all together. What was most until now is written, of the first ones, as
  // many as there is room for. By one thread at a time.
  void (*begin_peaks)(std::int64_t* most_resident, std::uint32_t room);
  // Mappings that found no place in the table, and so are nobody's: of the whole run, whatever of them has gone.
  void (*unplaced)(LedgerHeld* into);
  // Of the calling thread, by its own number: another one once what it has asked for and given back has changed by 4 KiB since, or a larger block or
  // a mapping has come or gone. A nanosecond.
  std::uint32_t (*changes_here)();
};

using LedgerFunction = const Ledger* (*)();

}  // namespace comity::memory
