// SPDX-License-Identifier: BSD-3-Clause
#include "os/memory/totals.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <span>

#include "os/kernel.hpp"
#include "os/memory/in_pieces.hpp"
#include "os/memory/text.hpp"
#include "os/proc.hpp"

namespace comity::os {
namespace {

using namespace memory_text;

// Fills what the fields name from lines "Name:  1234 kB"; tells how many there were. Other lines are others' business.
template <typename Figures, typename Fields>
std::size_t read_fields(std::string_view text, const Fields& fields, std::string_view file, Figures& figures) {
  std::size_t found = 0;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const auto& each) { return each.name == line.substr(0, colon); });
    if (field == fields.end()) continue;
    const auto bytes = kib(line.substr(colon + 1));
    if (!bytes) reject(file, line);
    figures.*field->bytes = *bytes;
    ++found;
  }
  return found;
}

}  // namespace

std::optional<Statm> parse_statm(std::string_view text, std::uint64_t page_bytes) noexcept {
  std::array<std::uint64_t, 3> bytes{};
  std::string_view line = text.substr(0, text.find('\n'));
  for (std::uint64_t& each : bytes) {
    const auto pages = number(next_word(line));
    const auto size = pages ? product(*pages, page_bytes) : std::nullopt;
    if (!size) return std::nullopt;
    each = *size;
  }
  return Statm{bytes[0], bytes[1], bytes[2]};
}

OwnStatm::OwnStatm() : file_(open_file("/proc/self/statm", O_RDONLY)), page_bytes_(page_bytes()) {}

std::optional<Statm> OwnStatm::read() const noexcept {
  std::array<char, 160> text;  // NOLINT(*-member-init): what is not read is not used
  const ssize_t got = ::pread(file_.number(), text.data(), text.size(), 0);
  if (got <= 0) return std::nullopt;
  return parse_statm({text.data(), static_cast<std::size_t>(got)}, page_bytes_);
}

namespace {

// [bytes] Of a small file of /proc, as much as there is room for; 0 where it cannot be read.
std::size_t read_start(const char* path, std::span<char> into) noexcept {
  const Descriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return 0;
  const ssize_t got = ::read(file.number(), into.data(), into.size());
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

std::optional<std::uint64_t> own_peak_of_status() noexcept {
  std::optional<std::uint64_t> peak;
  read_lines("/proc/self/status", [&](std::string_view name, std::string_view line) {
    if (name != "VmHWM:") return Wanted::next_line;
    peak = kib(line);
    return Wanted::nothing_more;
  });
  return peak;
}

// getrusage's mark is kept over exec, from the program before or from the parent. Once ours has come up to it, it is ours for good.
constinit std::atomic<bool> mark_is_own{false};

}  // namespace

std::optional<std::uint64_t> own_resident_bytes(Hugetlb hugetlb) noexcept {
  if (hugetlb == Hugetlb::left_out) {
    std::array<char, 160> text;  // NOLINT(*-member-init): what is not read is not used
    const auto now = parse_statm({text.data(), read_start("/proc/self/statm", text)}, page_bytes());
    return now ? std::optional(now->resident_bytes) : std::nullopt;
  }
  std::optional<std::uint64_t> resident;
  std::uint64_t huge = 0;
  read_lines("/proc/self/status", [&](std::string_view name, std::string_view line) {
    if (name == "VmRSS:") resident = kib(line);
    if (name != "HugetlbPages:") return Wanted::next_line;
    huge = kib(line).value_or(0);
    return Wanted::nothing_more;
  });
  return resident ? std::optional(*resident + huge) : std::nullopt;
}

std::int64_t own_high_water_bytes() noexcept {
  rusage use{};
  const bool is_told = ::getrusage(RUSAGE_SELF, &use) == 0;
  const std::int64_t mark = is_told ? std::int64_t{use.ru_maxrss} * static_cast<std::int64_t>(kKiB) : 0;
  if (mark_is_own.load(std::memory_order_relaxed)) return mark;
  constexpr std::int64_t kLate_bytes = std::int64_t{256}
                                       << 10U;  // the two are counted apart, by some kernels a few pages late
  const auto own = static_cast<std::int64_t>(own_peak_of_status().value_or(static_cast<std::uint64_t>(mark)));
  if (own >= mark - kLate_bytes) mark_is_own.store(true, std::memory_order_relaxed);
  return own;
}

std::optional<Totals> parse_totals(std::string_view status) {
  Totals totals;
  if (read_fields(status, kTotalFields, "status", totals) == 0) return std::nullopt;
  return totals;
}

NodeTotals parse_node_totals(std::string_view meminfo) {
  NodeTotals totals;
  (void)read_fields(meminfo, kNodeFields, "meminfo", totals);
  return totals;
}

NodeTotals node_totals() {
  const auto text = read_text("/proc/meminfo");
  if (!text) throw system_error("read /proc/meminfo", errno);
  return parse_node_totals(*text);
}

}  // namespace comity::os
