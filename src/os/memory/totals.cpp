// SPDX-License-Identifier: BSD-3-Clause
#include "os/memory/totals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/kernel.hpp"
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
