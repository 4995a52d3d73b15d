// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory/runs_picture.hpp"

#include <utility>

#include "base/utf8.hpp"
#include "cli/bench/show/chart.hpp"
#include "cli/common/formatted.hpp"
#include "cli/common/text_file.hpp"
#include "memory/job/mib.hpp"

namespace comity::cli {
namespace {

bench::Curve curve_of(const memory::CountBlock& block, const memory::CountLine& line) {
  constexpr std::size_t kLongest_bytes = 40;
  const std::string series(end_of(block.series, kLongest_bytes));
  bench::Curve curve{svg_text(begin_of(block.mpi_library, kLongest_bytes)),
                     svg_text((series.empty() ? "" : series + ": ") + line.name),
                     {}};
  for (std::size_t i = 0; i < block.counts.size(); ++i) {
    if (line.cells[i] && line.cells[i]->mean > 0)
      curve.points.emplace_back(block.counts[i], line.cells[i]->mean / memory::kMiB);
  }
  return curve;
}

}  // namespace

std::string runs_svg(const memory::CountTable& table) {
  const auto number = [](double value) { return text_of("%g", value); };
  bench::Chart chart{"Memory [MiB], means", table.count == "ranks" ? "ranks" : "ranks a node", +number, +number, {}};
  for (const memory::CountBlock& block : table.blocks) {
    for (const memory::CountLine& line : block.lines) {
      bench::Curve curve = curve_of(block, line);
      if (!line.is_difference && !curve.points.empty()) chart.curves.push_back(std::move(curve));
    }
  }
  return bench::to_svg(chart);
}

void write_runs_picture(const memory::CountTable& table, const std::string& path) {
  write_text_file(path, runs_svg(table), "the picture", "--svg");
}

}  // namespace comity::cli
