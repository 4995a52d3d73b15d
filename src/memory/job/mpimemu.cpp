// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/mpimemu.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "memory/job/lines_of_others.hpp"

namespace comity::memory {
namespace {

constexpr std::string_view kHead = "###";
constexpr std::string_view kMark = "### mpimemu:";
constexpr double kKiB = 1024;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct Item {
  double least = 0, most = 0, mean = 0;  // [KiB] over ranks and samples
};

struct MpimemuText {
  std::map<std::string_view, std::string_view> facts;
  std::map<std::string_view, Item> items;
};

// "Post-Init VmRSS, 10, 12, 11.5".
std::pair<std::string_view, Item> item_in(const OthersLines& lines, std::string_view line) {
  std::array<std::string_view, 4> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t comma = std::min(line.find(','), line.size());
    if (line.empty()) lines.refuse("an item has a name and three numbers");
    parts[i] = OthersLines::trimmed(line.substr(0, comma));
    line.remove_prefix(std::min(comma + 1, line.size()));
  }
  const auto number = [&](std::size_t i) { return lines.number(parts[0], parts[i]); };
  return {parts[0], {number(1), number(2), number(3)}};
}

void take(MpimemuText& told, const OthersLines& lines, std::string_view line) {
  if (line.starts_with(kHead)) {
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos)
      told.facts[OthersLines::trimmed(line.substr(kHead.size(), colon - kHead.size()))] =
          OthersLines::trimmed(line.substr(colon + 1));
    return;
  }
  if (line.starts_with("Pre-Init ") || line.starts_with("Post-Init ")) told.items.insert(item_in(lines, line));
}

std::size_t count_in(const MpimemuText& told, const OthersLines& lines, std::string_view key) {
  constexpr double kMost = 1e9;
  const auto found = told.facts.find(key);
  if (found == told.facts.end()) lines.refuse("nowhere does it say its \"" + std::string(key) + '"');
  return static_cast<std::size_t>(std::min(lines.number(key, found->second), kMost));
}

const Item& item_of(const MpimemuText& told, const OthersLines& lines, std::string_view key) {
  const auto found = told.items.find(key);
  if (found == told.items.end()) lines.refuse("it ends without \"" + std::string(key) + '"');
  return found->second;
}

}  // namespace

bool is_of_mpimemu(std::string_view text) {
  return text.starts_with(kMark) || text.find("\n" + std::string(kMark)) != std::string_view::npos;
}

RunFigures figures_of_mpimemu(std::string_view text, std::string name) {
  MpimemuText told;
  OthersLines lines(text);
  for (std::string_view line; lines.next(line);) take(told, lines, line);
  RunFigures run;
  run.name = std::move(name);
  run.ranks = count_in(told, lines, "numpe");
  run.nodes = count_in(told, lines, "num nodes");
  const auto version = told.facts.find("mpi version");
  run.mpi_library = version == told.facts.end() ? "" : std::string(version->second);
  run.mpi = run.with_mpi =
      run.application = {.least = kUnknown, .most = kUnknown, .mean = kUnknown, .deviation = kUnknown};
  run.node_with_mpi = run.node_total = kUnknown;
  const Item& most = item_of(told, lines, "Post-Init VmHWM");
  run.total = {.least = most.least * kKiB, .most = most.most * kKiB, .mean = most.mean * kKiB, .deviation = kUnknown};
  const double added = item_of(told, lines, "Post-Init VmRSS").mean - item_of(told, lines, "Pre-Init VmRSS").mean;
  run.delta_method = kMpimemuMethod;
  run.delta = {.least = kUnknown, .most = kUnknown, .mean = added * kKiB, .deviation = kUnknown};
  return run;
}

}  // namespace comity::memory
