// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/picture.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <vector>

#include "base/error.hpp"
#include "cli/formatted.hpp"

namespace comity::cli::bench {
namespace {

constexpr double kWidth = 380, kHeight = 360, kLeft = 70, kTop = 60, kGap = 110, kLegendWidth = 130;

// Told apart by most people with a colour deficiency (Okabe and Ito), then again with dashes.
constexpr std::array<const char*, 8> kColours{"#000000", "#e69f00", "#56b4e9", "#009e73",
                                              "#f0e442", "#0072b2", "#d55e00", "#cc79a7"};

std::vector<std::string> distinct(const std::vector<Row>& rows, std::string Row::*field) {
  std::vector<std::string> found;
  for (const Row& row : rows) {
    if (std::find(found.begin(), found.end(), row.*field) == found.end()) found.push_back(row.*field);
  }
  return found;
}

// Both axes, common to all panels.
struct Axes {
  double least_ns = 1e300, most_ns = 0;
  int least_ranks = 1 << 30, most_ranks = 1;

  explicit Axes(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      least_ns = std::min(least_ns, row.value);
      most_ns = std::max(most_ns, row.value);
      least_ranks = std::min(least_ranks, row.ranks);
      most_ranks = std::max(most_ranks, row.ranks);
    }
    least_ns = std::pow(10.0, std::floor(std::log10(least_ns)));
    most_ns = std::pow(10.0, std::ceil(std::log10(most_ns)));
  }
  [[nodiscard]] double x(int ranks) const {
    const double span = std::log2(static_cast<double>(most_ranks) / least_ranks);
    return span > 0 ? kWidth * std::log2(static_cast<double>(ranks) / least_ranks) / span : kWidth / 2;
  }
  [[nodiscard]] double y(double ns) const {
    const double span = std::log10(most_ns / least_ns);
    return span > 0 ? kHeight * (1.0 - std::log10(ns / least_ns) / span) : kHeight / 2;
  }
};

std::string time_label(double ns) {
  if (ns < 1e3) return text_of("%.0f ns", ns);
  if (ns < 1e6) return text_of("%.0f us", ns / 1e3);
  return ns < 1e9 ? text_of("%.0f ms", ns / 1e6) : text_of("%.0f s", ns / 1e9);
}

std::string frame(const Axes& axes, const std::vector<Row>& rows, const std::string& mpi) {
  std::string svg = text_of("<rect width=\"%.0f\" height=\"%.0f\" fill=\"none\" stroke=\"#888\"/>\n", kWidth, kHeight);
  svg += text_of("<text x=\"0\" y=\"-12\" font-weight=\"bold\">%s</text>\n", mpi.c_str());
  for (double ns = axes.least_ns; ns <= axes.most_ns * 1.001; ns *= 10) {
    svg += text_of("<path d=\"M0 %.1fH%.0f\" stroke=\"#ddd\"/>", axes.y(ns), kWidth);
    svg += text_of("<text x=\"-8\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", axes.y(ns) + 4, time_label(ns).c_str());
  }
  std::vector<int> ranks;
  for (const Row& row : rows) {
    if (std::find(ranks.begin(), ranks.end(), row.ranks) == ranks.end()) ranks.push_back(row.ranks);
  }
  for (const int count : ranks) {
    svg +=
        text_of("<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%d</text>\n", axes.x(count), kHeight + 18, count);
  }
  return svg + text_of("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">ranks on the node</text>\n", kWidth / 2,
                       kHeight + 38);
}

std::string style_of(std::size_t index) {
  return text_of("stroke=\"%s\"%s", kColours[index % kColours.size()],
                 index < kColours.size() ? "" : " stroke-dasharray=\"5 3\"");
}

std::string line_of(const Axes& axes, const std::vector<Row>& rows, const std::string& mpi, const std::string& name,
                    std::size_t index) {
  std::string points;
  std::string dots;
  for (const Row& row : rows) {
    if (row.mpi != mpi || row.name != name) continue;
    points += text_of("%.1f,%.1f ", axes.x(row.ranks), axes.y(row.value));
    dots += text_of("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>", axes.x(row.ranks), axes.y(row.value),
                    kColours[index % kColours.size()]);
  }
  return "<polyline fill=\"none\" stroke-width=\"1.8\" " + style_of(index) + " points=\"" + points + "\"/>" + dots +
         '\n';
}

std::string legend(const std::vector<std::string>& names) {
  std::string svg;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double y = 14.0 + 20.0 * static_cast<double>(i);
    svg += text_of("<path d=\"M0 %.0fh26\" stroke-width=\"2\" ", y) + style_of(i) + "/>";
    svg += text_of("<text x=\"34\" y=\"%.0f\">%s</text>\n", y + 4, names[i].c_str());
  }
  return svg;
}

}  // namespace

std::string to_svg(const Report& report) {
  std::vector<Row> rows;
  std::copy_if(report.rows.begin(), report.rows.end(), std::back_inserter(rows),
               [](const Row& row) { return row.unit == "ns" && row.value > 0; });
  const Axes axes(rows);
  const std::vector<std::string> mpis = distinct(rows, &Row::mpi);
  const std::vector<std::string> names = distinct(rows, &Row::name);
  const auto panels = static_cast<double>(mpis.size());
  const double legend_at = kLeft + panels * (kWidth + kGap) - kGap + 30;
  std::string svg = text_of(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
      legend_at + kLegendWidth, kTop + kHeight + 60);
  svg += text_of("<text x=\"%.0f\" y=\"24\" font-size=\"15\" font-weight=\"bold\">What a call costs: ", kLeft) +
         report.host.cpu + text_of(", %d cores</text>\n", report.host.cores);
  for (std::size_t panel = 0; panel < mpis.size(); ++panel) {
    svg +=
        text_of("<g transform=\"translate(%.0f %.0f)\">\n", kLeft + static_cast<double>(panel) * (kWidth + kGap), kTop);
    svg += frame(axes, rows, mpis[panel]);
    for (std::size_t i = 0; i < names.size(); ++i) svg += line_of(axes, rows, mpis[panel], names[i], i);
    svg += "</g>\n";
  }
  svg += text_of("<g transform=\"translate(%.0f %.0f)\">\n", legend_at, kTop) + legend(names) + "</g>\n";
  return svg + "</svg>\n";
}

void write_svg(const Report& report, const std::string& path) {
  errno = 0;
  std::ofstream file(path);
  file << to_svg(report);
  file.close();
  if (!file) throw system_error("write the picture " + path, errno, "name a file that can be written");
}

}  // namespace comity::cli::bench
