// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/csv.hpp"
#include "base/utf8.hpp"
#include "memory/job/by_count.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/rows.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLabelColumns = 42;  // what stands before the cells
constexpr std::size_t kCellColumns = 18;

std::string cell_text(const CountLine& line, const std::optional<CountCell>& cell) {
  if (!cell) return "-";
  std::array<char, 64> text{};
  if (line.is_difference) {
    std::snprintf(text.data(), text.size(), "%+.2f", cell->mean / kMiB);
  } else if (std::isnan(cell->deviation)) {
    std::snprintf(text.data(), text.size(), "%.2f", cell->mean / kMiB);
  } else {
    std::snprintf(text.data(), text.size(), "%.2f +- %.2f", cell->mean / kMiB, cell->deviation / kMiB);
  }
  return text.data();
}

std::string padded(const std::string& text, std::size_t columns, bool to_the_right) {
  if (text.size() >= columns) return text;
  const std::string blanks(columns - text.size(), ' ');
  return to_the_right ? blanks + text : text + blanks;
}

std::string head_of(const CountBlock& block, const std::string& count) {
  const std::string name = (block.series.empty() ? "" : block.series + ", ") +
                           (block.mpi_library.empty() ? std::string("an MPI that is not told") : block.mpi_library);
  const std::string label = count == "ranks" ? "ranks:" : "ranks a node:";
  std::string shown = visible(name);
  const std::size_t room = kLabelColumns - label.size() - 1;
  if (shown.size() > room) shown = ".." + std::string(end_of(shown, room - 2));
  std::string line = "  " + padded(shown, room, false) + ' ' + label;
  for (const double each : block.counts) line += padded(text_of_count(each), kCellColumns, true);
  return line + '\n';
}

Json number_json(double number) {
  if (std::isnan(number)) return nullptr;
  return number == std::floor(number) && std::abs(number) < 1e15 ? Json(static_cast<std::int64_t>(number))
                                                                 : Json(number);
}

Json json_of(const CountLine& line) {
  Json means = Json::array();
  Json deviations = Json::array();
  for (const std::optional<CountCell>& cell : line.cells) {
    means.push_back(cell ? Json(cell->mean) : Json(nullptr));
    deviations.push_back(cell && !std::isnan(cell->deviation) ? Json(cell->deviation) : Json(nullptr));
  }
  return {{"mean_bytes", std::move(means)}, {"sd_bytes", std::move(deviations)}};
}

}  // namespace

std::string text_of_count(double count) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", count);
  return text.data();
}

std::string text_of(const CountTable& table) {
  std::string text = table.title + '\n';
  for (const CountBlock& block : table.blocks) {
    text += head_of(block, table.count);
    for (const CountLine& line : block.lines) {
      text += "    " + padded(line.name, kLabelColumns - 2, false);
      for (const std::optional<CountCell>& cell : line.cells) text += padded(cell_text(line, cell), kCellColumns, true);
      text += '\n';
    }
    if (block.node_is_bound)
      text +=
          "    of a node mpi with what it brings is an upper bound, of what each component of a rank had at a moment "
          "of its own\n";
  }
  return text;
}

Json json_of(const CountTable& table) {
  Json blocks = Json::array();
  for (const CountBlock& block : table.blocks) {
    Json counts = Json::array();
    for (const double count : block.counts) counts.push_back(number_json(count));
    Json one = {{"series", block.series},
                {"mpi_library", block.mpi_library},
                {"delta_method", block.delta_method.empty() ? Json(nullptr) : Json(block.delta_method)},
                {table.count, std::move(counts)}};
    for (const CountLine& line : block.lines) one[line.key] = json_of(line);
    if (one.contains("node_with_mpi")) one["node_with_mpi_is_bound"] = block.node_is_bound;
    blocks.push_back(std::move(one));
  }
  return {{"title", table.title}, {"blocks", std::move(blocks)}};
}

std::string rows_of(const CountTable& table) {
  std::string text = "series,mpi_library," + table.count + ",figure,mean_bytes,sd_bytes\n";
  for (const CountBlock& block : table.blocks) {
    for (const CountLine& line : block.lines) {
      for (std::size_t i = 0; i < block.counts.size(); ++i) {
        if (!line.cells[i]) continue;
        text += csv_text(block.series) + ',' + csv_text(block.mpi_library) + ',' + text_of_count(block.counts[i]) +
                ',' + line.key + ',' + field_of(line.cells[i]->mean) + ',' + field_of(line.cells[i]->deviation) + '\n';
      }
    }
  }
  return text;
}

}  // namespace comity::memory
