// SPDX-License-Identifier: BSD-3-Clause
// Chart: lines on two logarithmic axes, in panels that share them, as SVG text without scripts and fonts of its own. Texts are written as
// they are. Not: what they show.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace comity::cli::bench {

struct Curve {
  std::string panel;
  std::string name;                               // of several panels' curves of one name the legend has one line
  std::vector<std::pair<double, double>> points;  // all above 0
};

struct Chart {
  std::string title;
  std::string x_label;
  std::string (*x_text)(double);
  std::string (*y_text)(double);  // of powers of ten
  std::vector<Curve> curves;
};

[[nodiscard]] std::string to_svg(const Chart& chart);

}  // namespace comity::cli::bench
