// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/show/picture.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <vector>

#include "base/error.hpp"
#include "cli/bench/memory.hpp"
#include "cli/bench/quo.hpp"
#include "cli/bench/show/chart.hpp"
#include "cli/common/formatted.hpp"

namespace comity::cli::bench {
namespace {

void add_point(std::vector<Curve>& curves, const std::string& panel, const std::string& name, double x, double y) {
  auto curve = std::find_if(curves.begin(), curves.end(),
                            [&](const Curve& one) { return one.panel == panel && one.name == name; });
  if (curve == curves.end()) curve = curves.insert(curves.end(), {panel, name, {}});
  curve->points.emplace_back(x, y);
}

std::string time_text(double ns) {
  if (ns < 1e3) return text_of("%.0f ns", ns);
  if (ns < 1e6) return text_of("%.0f us", ns / 1e3);
  return ns < 1e9 ? text_of("%.0f ms", ns / 1e6) : text_of("%.0f s", ns / 1e9);
}

std::string number_text(double count) { return text_of("%.0f", count); }

std::string rate_text(double rate) {
  if (rate < 1e3) return text_of("%.0f", rate);
  if (rate < 1e6) return text_of("%.0f k", rate / 1e3);
  return rate < 1e9 ? text_of("%.0f M", rate / 1e6) : text_of("%.0f G", rate / 1e9);
}

std::string size_text(double bytes) {
  if (bytes < 1024) return text_of("%.0f", bytes);
  return bytes < 1048576 ? text_of("%.0f K", bytes / 1024) : text_of("%.0f M", bytes / 1048576);
}

std::string host_text(const Host& host) { return host.cpu + text_of(", %d cores", host.cores); }

// As the dissertation's Fig. 5.1.
Chart times_by_ranks(const Report& report) {
  Chart chart{"What a call costs: " + host_text(report.host), "ranks on the node", &number_text, &time_text, {}};
  for (const Row& row : report.rows) {
    if (row.unit != "ns" || row.value <= 0 || row.name.ends_with(kBesideOriginal)) continue;  // a call has one curve
    add_point(chart.curves, row.mpi, row.name, row.ranks, row.value);
  }
  return chart;
}

// As the dissertation's Fig. 4.10, where the bare launches have a panel of their own.
Chart rates_by_size(const Report& report) {
  Chart chart{"Messages a second, of all pairs together: " + host_text(report.host),
              "bytes a message",
              &size_text,
              &rate_text,
              {}};
  for (const Row& row : report.rows) {
    const double bytes = row.extra_named(kBytesOfMessage);
    if (bytes <= 0 || row.value <= 0 || row.reference_value <= 0) continue;
    const int pairs = row.ranks / 2;
    const std::string name = std::to_string(pairs) + (pairs == 1 ? " pair" : " pairs");
    add_point(chart.curves, row.mpi, name + ", bare", bytes, 1e9 * pairs / row.reference_value);
    add_point(chart.curves, row.mpi, name + ", Comity", bytes, 1e9 * pairs / row.value);
  }
  return chart;
}

}  // namespace

std::string to_svg(const Report& report) {
  return to_svg(report.bench == "memory" ? rates_by_size(report) : times_by_ranks(report));
}

void write_svg(const Report& report, const std::string& path) {
  errno = 0;
  std::ofstream file(path);
  file << to_svg(report);
  file.close();
  if (!file) throw system_error("write the picture " + path, errno, "name a file that can be written");
}

}  // namespace comity::cli::bench
