// SPDX-License-Identifier: BSD-3-Clause
#include "cli/report/memory_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "cli/common/formatted.hpp"
#include "memory/job/mib.hpp"
#include "memory/rank/growth.hpp"

namespace comity::cli {
namespace {

using memory::kMiB;
using memory::RankTimelines;
using memory::Stretch;
using memory::Timeline;
using memory::Timelines;

constexpr double kWidth = 440, kHeight = 240, kLeft = 80, kTop = 70, kGapX = 110, kGapY = 80;
constexpr std::size_t kSteps = 400;      // of a line
constexpr std::size_t kMostLines = 256;  // more ranks cannot be told apart
constexpr const char* kMpi = "mpi";

struct Line {
  Timeline timeline;
  std::string colour;
};

struct Panel {
  std::string title;
  std::vector<Line> lines;

  [[nodiscard]] double most_bytes() const {
    double most = 0;
    for (const Line& line : lines) {
      for (const Stretch& each : line.timeline) most = std::max(most, each.bytes);
    }
    return most;
  }
};

// 1, 2 or 5 times a power of ten, such that four to ten of it are there.
double tick_of(double span) {
  const double least = span / 10;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

// By rank, from blue to red.
std::string colour_of(std::size_t index, std::size_t count) {
  const double share = count < 2 ? 0 : static_cast<double>(index) / static_cast<double>(count - 1);
  return text_of("hsl(%.0f,75%%,42%%)", 240 * (1 - share));
}

double seconds_between(std::int64_t begin_ns, std::int64_t end_ns) {
  return seconds_of(end_ns) - seconds_of(begin_ns);  // of any two that a record may hold
}

class Axes {
 public:
  Axes(const Timelines& timelines, double most_bytes)
      : begin_ns_(timelines.begin_ns()),
        seconds_(std::max(1e-3, seconds_between(timelines.begin_ns(), timelines.end_ns()))),
        mib_(std::max(1e-3, most_bytes / kMiB) * 1.05) {}

  [[nodiscard]] double x(std::int64_t time_ns) const { return kWidth * seconds_between(begin_ns_, time_ns) / seconds_; }
  [[nodiscard]] double y(double bytes) const { return kHeight * (1 - bytes / kMiB / mib_); }

  [[nodiscard]] std::string frame(const std::string& title) const {
    std::string svg =
        text_of("<rect width=\"%.0f\" height=\"%.0f\" fill=\"none\" stroke=\"#888\"/>\n", kWidth, kHeight);
    svg += "<text x=\"0\" y=\"-10\" font-weight=\"bold\">" + title + "</text>\n";
    const double step_mib = tick_of(mib_);
    for (double mib = 0; mib <= mib_; mib += step_mib) {
      svg += text_of("<path d=\"M0 %.1fH%.0f\" stroke=\"#ddd\"/>", y(mib * kMiB), kWidth);
      svg += text_of("<text x=\"-8\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", y(mib * kMiB) + 4, mib);
    }
    const double step_s = tick_of(seconds_);
    for (double second = 0; second <= seconds_; second += step_s) {
      svg += text_of("<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%g</text>\n", kWidth * second / seconds_,
                     kHeight + 16, second);
    }
    return svg +
           text_of("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">seconds</text>\n", kWidth / 2, kHeight + 34);
  }

  // A step for each stretch, which stays where it is until the next one.
  [[nodiscard]] std::string draw(const Line& line) const {
    std::string path;
    for (const Stretch& each : line.timeline) {
      path += path.empty() ? text_of("M%.1f %.1f", x(each.begin_ns), y(each.bytes))
                           : text_of("H%.1fV%.1f", x(each.begin_ns), y(each.bytes));
    }
    if (!line.timeline.empty()) path += text_of("H%.1f", x(line.timeline.back().end_ns) + 0.5);
    return "<path fill=\"none\" stroke-width=\"1.3\" stroke=\"" + line.colour + "\" d=\"" + path + "\"/>\n";
  }

 private:
  std::int64_t begin_ns_;
  double seconds_;
  double mib_;
};

Panel ranks_panel(const Timelines& timelines, const std::string& component, std::string title) {
  Panel panel{std::move(title), {}};
  const std::size_t ranks = timelines.ranks.size();
  const std::size_t lines = std::min(ranks, kMostLines);
  for (std::size_t i = 0; i < lines; ++i) {
    const RankTimelines& rank = timelines.ranks[i * ranks / lines];
    const Timeline* const told = rank.of(component);
    panel.lines.push_back(
        {told == nullptr ? Timeline{} : memory::shortened(*told, timelines.begin_ns(), timelines.end_ns(), kSteps),
         colour_of(i, lines)});
  }
  return panel;
}

Panel sum_panel(const Timelines& timelines, const std::string& component, std::string title) {
  return {std::move(title), {{memory::sum_of(timelines, component, kSteps), "#333"}}};
}

// MPI's part may be small: each panel has a scale of its own.
std::string row_of(const Timelines& timelines, const std::array<Panel, 2>& panels, double top) {
  std::string svg;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Axes its(timelines, panels[i].most_bytes());
    svg += text_of("<g transform=\"translate(%.0f %.0f)\">\n", kLeft + static_cast<double>(i) * (kWidth + kGapX), top);
    svg += its.frame(panels[i].title);
    for (const Line& line : panels[i].lines) svg += its.draw(line);
    svg += "</g>\n";
  }
  return svg;
}

std::string ranks_text(const Timelines& timelines, const std::string& meaning) {
  const std::size_t ranks = timelines.ranks.size();
  std::string text = std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks, the first blue, the last red");
  text += "; " + meaning;
  if (ranks > kMostLines) text += "; " + std::to_string(kMostLines) + " of them drawn";
  return text;
}

}  // namespace

std::string memory_svg(const Timelines& timelines, const std::string& title, const std::string& meaning) {
  if (timelines.ranks.empty()) {
    throw Error(Status::not_found,
                "--svg: this record has no samples of memory; make one with comity run --memory --record DIR");
  }
  const double width = kLeft + 2 * kWidth + kGapX + 30;
  const double height = kTop + 2 * kHeight + kGapY + 60;
  std::string svg = text_of(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
      width, height);
  svg += text_of("<text x=\"%.0f\" y=\"24\" font-size=\"15\" font-weight=\"bold\">", kLeft) + "Memory [MiB] of " +
         svg_text(title) + "</text>\n" + text_of("<text x=\"%.0f\" y=\"42\">", kLeft) + ranks_text(timelines, meaning) +
         "</text>\n";
  svg += row_of(
      timelines,
      {ranks_panel(timelines, kMpi, "MPI, each rank"), ranks_panel(timelines, memory::kTotalName, "all, each rank")},
      kTop);
  svg += row_of(
      timelines,
      {sum_panel(timelines, kMpi, "MPI, sum of ranks"), sum_panel(timelines, memory::kTotalName, "all, sum of ranks")},
      kTop + kHeight + kGapY);
  return svg + "</svg>\n";
}

}  // namespace comity::cli
