// SPDX-License-Identifier: BSD-3-Clause
// Totals: how much memory a process, or the node, has in all. statm costs a microsecond whatever the process has, status
// ten. Texts in, figures out. Not: how an area counts (areas).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "os/files/descriptor.hpp"

namespace comity::os {

struct Statm {
  std::uint64_t virtual_bytes = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t shared_bytes = 0;  // of files and segments
};

// Neither allocates nor throws; none where it is no such text.
[[nodiscard]] std::optional<Statm> parse_statm(std::string_view text, std::uint64_t page_bytes) noexcept;

// This process's statm, kept open: for who asks often.
class OwnStatm {
 public:
  OwnStatm();  // Throws Status::system where /proc is missing.

  // One system call, no allocation. In a fork child it tells of the parent: make another one there.
  [[nodiscard]] std::optional<Statm> read() const noexcept;

 private:
  Descriptor file_;
  std::uint64_t page_bytes_;
};

// [bytes] What is resident of this process, read without a descriptor that stays: 5 us, and 10 with pages of hugetlbfs, which are in no
// total of resident memory. For who stands behind malloc: neither allocates nor throws. None where the kernel refuses.
enum class Hugetlb : std::uint8_t { left_out, added };
[[nodiscard]] std::optional<std::uint64_t> own_resident_bytes(Hugetlb hugetlb) noexcept;

// [bytes] The most that was ever resident of this process, without what it was before it became this program: half a microsecond, or ten
// as long as that was more. Neither allocates nor throws; 0 where the kernel does not tell.
[[nodiscard]] std::int64_t own_high_water_bytes() noexcept;

// [bytes] What status says; 0 where this kernel does not tell.
struct Totals {
  std::uint64_t peak_virtual = 0;  // the most that it ever had
  std::uint64_t virtual_size = 0;
  std::uint64_t locked = 0;
  std::uint64_t pinned = 0;
  std::uint64_t peak_resident = 0;  // the most that it ever had; some kernels are a few pages late
  std::uint64_t resident = 0;
  std::uint64_t resident_anonymous = 0;
  std::uint64_t resident_file = 0;
  std::uint64_t resident_shared = 0;  // of segments
  std::uint64_t data = 0;
  std::uint64_t stack = 0;
  std::uint64_t text = 0;
  std::uint64_t libraries = 0;
  std::uint64_t page_tables = 0;
  std::uint64_t swap = 0;
  std::uint64_t hugetlb = 0;
};

struct TotalField {
  std::string_view name;  // in status
  std::uint64_t Totals::*bytes;
};

inline constexpr std::array kTotalFields{
    TotalField{"VmPeak", &Totals::peak_virtual},
    TotalField{"VmSize", &Totals::virtual_size},
    TotalField{"VmLck", &Totals::locked},
    TotalField{"VmPin", &Totals::pinned},
    TotalField{"VmHWM", &Totals::peak_resident},
    TotalField{"VmRSS", &Totals::resident},
    TotalField{"RssAnon", &Totals::resident_anonymous},
    TotalField{"RssFile", &Totals::resident_file},
    TotalField{"RssShmem", &Totals::resident_shared},
    TotalField{"VmData", &Totals::data},
    TotalField{"VmStk", &Totals::stack},
    TotalField{"VmExe", &Totals::text},
    TotalField{"VmLib", &Totals::libraries},
    TotalField{"VmPTE", &Totals::page_tables},
    TotalField{"VmSwap", &Totals::swap},
    TotalField{"HugetlbPages", &Totals::hugetlb},
};

// None of a process that has no memory: a zombie, or a thread of the kernel. Throws Status::system with the line that
// makes no sense.
[[nodiscard]] std::optional<Totals> parse_totals(std::string_view status);

// [bytes] What /proc/meminfo says of the node.
struct NodeTotals {
  std::uint64_t total = 0;
  std::uint64_t free = 0;
  std::uint64_t available = 0;  // 0 where the kernel does not tell
  std::uint64_t buffers = 0;
  std::uint64_t cached = 0;
  std::uint64_t swap_cached = 0;
  std::uint64_t active = 0;
  std::uint64_t inactive = 0;
  std::uint64_t swap_total = 0;
  std::uint64_t swap_free = 0;
  std::uint64_t dirty = 0;
  std::uint64_t shared = 0;
  std::uint64_t page_tables = 0;
  std::uint64_t commit_limit = 0;
  std::uint64_t committed = 0;
  std::uint64_t hugetlb = 0;
};

struct NodeField {
  std::string_view name;  // in meminfo
  std::uint64_t NodeTotals::*bytes;
};

inline constexpr std::array kNodeFields{
    NodeField{"MemTotal", &NodeTotals::total},
    NodeField{"MemFree", &NodeTotals::free},
    NodeField{"MemAvailable", &NodeTotals::available},
    NodeField{"Buffers", &NodeTotals::buffers},
    NodeField{"Cached", &NodeTotals::cached},
    NodeField{"SwapCached", &NodeTotals::swap_cached},
    NodeField{"Active", &NodeTotals::active},
    NodeField{"Inactive", &NodeTotals::inactive},
    NodeField{"SwapTotal", &NodeTotals::swap_total},
    NodeField{"SwapFree", &NodeTotals::swap_free},
    NodeField{"Dirty", &NodeTotals::dirty},
    NodeField{"Shmem", &NodeTotals::shared},
    NodeField{"PageTables", &NodeTotals::page_tables},
    NodeField{"CommitLimit", &NodeTotals::commit_limit},
    NodeField{"Committed_AS", &NodeTotals::committed},
    NodeField{"Hugetlb", &NodeTotals::hugetlb},
};

// Throws as parse_totals does.
[[nodiscard]] NodeTotals parse_node_totals(std::string_view meminfo);
[[nodiscard]] NodeTotals node_totals();  // now

}  // namespace comity::os
