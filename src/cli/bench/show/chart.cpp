// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/show/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "cli/common/formatted.hpp"

namespace comity::cli::bench {
namespace {

constexpr double kWidth = 380, kHeight = 360, kLeft = 70, kTop = 60, kGap = 110, kLegendWidth = 130, kLetter = 6.5;

// Told apart by most people with a colour deficiency (Okabe and Ito), then again with dashes.
constexpr std::array<const char*, 8> kColours{"#000000", "#e69f00", "#56b4e9", "#009e73",
                                              "#f0e442", "#0072b2", "#d55e00", "#cc79a7"};

std::vector<std::string> distinct(const std::vector<Curve>& curves, std::string Curve::*field) {
  std::vector<std::string> found;
  for (const Curve& curve : curves) {
    if (std::find(found.begin(), found.end(), curve.*field) == found.end()) found.push_back(curve.*field);
  }
  return found;
}

// Both axes, common to all panels.
struct Axes {
  double least_x = 1e300, most_x = 0, least_y = 1e300, most_y = 0;
  std::set<double> xs;

  explicit Axes(const std::vector<Curve>& curves) {
    for (const Curve& curve : curves) {
      for (const auto& [x, y] : curve.points) {
        xs.insert(x);
        least_y = std::min(least_y, y);
        most_y = std::max(most_y, y);
      }
    }
    if (xs.empty()) xs.insert(least_y = most_y = 1);
    least_x = *xs.begin();
    most_x = *xs.rbegin();
    least_y = std::pow(10.0, std::floor(std::log10(least_y)));
    most_y = std::pow(10.0, std::ceil(std::log10(most_y)));
  }
  [[nodiscard]] double at_x(double x) const {
    return most_x > least_x ? kWidth * std::log(x / least_x) / std::log(most_x / least_x) : kWidth / 2;
  }
  [[nodiscard]] double at_y(double y) const {
    return most_y > least_y ? kHeight * (1.0 - std::log(y / least_y) / std::log(most_y / least_y)) : kHeight / 2;
  }
};

// Where many stand close together not each has its text.
std::string x_texts(const Axes& axes, const Chart& chart) {
  constexpr double kNearest = 26;
  std::string svg;
  double last = -kNearest;
  for (const double x : axes.xs) {
    const double at = axes.at_x(x);
    if (at < last + kNearest) continue;
    last = at;
    svg += text_of("<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>\n", at, kHeight + 18,
                   chart.x_text(x).c_str());
  }
  return svg;
}

std::string frame(const Axes& axes, const Chart& chart, const std::string& panel) {
  std::string svg = text_of("<rect width=\"%.0f\" height=\"%.0f\" fill=\"none\" stroke=\"#888\"/>\n", kWidth, kHeight);
  svg += text_of("<text x=\"0\" y=\"-12\" font-weight=\"bold\">%s</text>\n", panel.c_str());
  for (double y = axes.least_y; y <= axes.most_y * 1.001; y *= 10) {
    svg += text_of("<path d=\"M0 %.1fH%.0f\" stroke=\"#ddd\"/>", axes.at_y(y), kWidth);
    svg +=
        text_of("<text x=\"-8\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", axes.at_y(y) + 4, chart.y_text(y).c_str());
  }
  return svg + x_texts(axes, chart) +
         text_of("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>\n", kWidth / 2, kHeight + 38,
                 chart.x_label.c_str());
}

std::string style_of(std::size_t index) {
  return text_of("stroke=\"%s\"%s", kColours[index % kColours.size()],
                 index < kColours.size() ? "" : " stroke-dasharray=\"5 3\"");
}

std::string line_of(const Axes& axes, const Curve& curve, std::size_t index) {
  std::string points;
  std::string dots;
  for (const auto& [x, y] : curve.points) {
    points += text_of("%.1f,%.1f ", axes.at_x(x), axes.at_y(y));
    dots += text_of("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>", axes.at_x(x), axes.at_y(y),
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

double width_of_legend(const std::vector<std::string>& names) {
  double width = kLegendWidth;
  for (const std::string& name : names) width = std::max(width, 40 + kLetter * static_cast<double>(name.size()));
  return width;
}

}  // namespace

std::string to_svg(const Chart& chart) {
  const Axes axes(chart.curves);
  const std::vector<std::string> panels = distinct(chart.curves, &Curve::panel);
  const std::vector<std::string> names = distinct(chart.curves, &Curve::name);
  const double legend_at = kLeft + static_cast<double>(panels.size()) * (kWidth + kGap) - kGap + 30;
  std::string svg = text_of(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
      legend_at + width_of_legend(names), kTop + kHeight + 60);
  svg += text_of("<text x=\"%.0f\" y=\"24\" font-size=\"15\" font-weight=\"bold\">", kLeft) + chart.title + "</text>\n";
  for (std::size_t panel = 0; panel < panels.size(); ++panel) {
    svg +=
        text_of("<g transform=\"translate(%.0f %.0f)\">\n", kLeft + static_cast<double>(panel) * (kWidth + kGap), kTop);
    svg += frame(axes, chart, panels[panel]);
    for (const Curve& curve : chart.curves) {
      if (curve.panel != panels[panel]) continue;
      const auto name = std::find(names.begin(), names.end(), curve.name);
      svg += line_of(axes, curve, static_cast<std::size_t>(name - names.begin()));
    }
    svg += "</g>\n";
  }
  svg += text_of("<g transform=\"translate(%.0f %.0f)\">\n", legend_at, kTop) + legend(names) + "</g>\n";
  return svg + "</svg>\n";
}

}  // namespace comity::cli::bench
