// SPDX-License-Identifier: BSD-3-Clause
#include "cli/report/messages_picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "cli/common/formatted.hpp"

namespace comity::cli {
namespace {

using metrics::MessageFigures;

constexpr double kSide = 560, kLeft = 80, kTop = 80;
constexpr int kMostSquares = 256;  // a side: of more ranks neighbours share one

// Each end tells what it knows: of a message both do.
double bytes_of(const MessageFigures& pair) {
  return static_cast<double>(std::max(pair.sent_bytes, pair.received_bytes)) + static_cast<double>(pair.put_bytes) +
         static_cast<double>(pair.got_bytes);
}

std::string amount_text(double bytes) {
  if (bytes < 1024) return text_of("%.0f B", bytes);
  if (bytes < 1048576) return text_of("%.1f KiB", bytes / 1024);
  return bytes < 1073741824 ? text_of("%.1f MiB", bytes / 1048576) : text_of("%.1f GiB", bytes / 1073741824);
}

class Matrix {
 public:
  explicit Matrix(const metrics::Job& job) {
    for (const MessageFigures& pair : job.messages) ranks_ = std::max({ranks_, pair.from + 1, pair.to + 1});
    ranks_ = std::max(ranks_, static_cast<int>(job.ranks.size()));
    a_square_ = std::max(1, (ranks_ + kMostSquares - 1) / kMostSquares);
    for (const MessageFigures& pair : job.messages) {
      if (pair.from < 0 || pair.to < 0 || !(bytes_of(pair) > 0)) continue;
      squares_[{pair.from / a_square_, pair.to / a_square_}] += bytes_of(pair);
      all_ += bytes_of(pair);
    }
    for (const auto& [place, bytes] : squares_) most_ = std::max(most_, bytes);
  }

  [[nodiscard]] bool is_empty() const { return squares_.empty(); }
  [[nodiscard]] std::string head() const {
    std::string text = "bytes from each rank (down) to each (across), in all " + amount_text(all_) + "; the darkest " +
                       amount_text(most_);
    if (a_square_ > 1) text += text_of("; a square is %d ranks by %d", a_square_, a_square_);
    return text;
  }

  [[nodiscard]] std::string draw() const {
    std::string svg = text_of("<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\" stroke=\"#888\"/>\n", kSide, kSide);
    for (const auto& [place, bytes] : squares_) {
      svg += text_of("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"hsl(215,70%%,%.0f%%)\"/>\n",
                     side() * place.second, side() * place.first, side(), side(), lightness_of(bytes));
    }
    return svg + ticks();
  }

 private:
  [[nodiscard]] int squares_a_side() const { return (ranks_ + a_square_ - 1) / a_square_; }
  [[nodiscard]] double side() const { return kSide / squares_a_side(); }

  // A byte is just seen.
  [[nodiscard]] double lightness_of(double bytes) const {
    constexpr double kLightest = 92, kDarkest = 22;
    const double share = most_ > 1 ? std::log1p(bytes) / std::log1p(most_) : 1;
    return kLightest - (kLightest - kDarkest) * share;
  }

  // Some eight numbers of ranks on each side.
  [[nodiscard]] std::string ticks() const {
    const int step = std::max(1, (squares_a_side() + 7) / 8);
    std::string svg;
    for (int i = 0; i < squares_a_side(); i += step) {
      const double middle = side() * (i + 0.5);
      svg += text_of("<text x=\"%.1f\" y=\"-8\" text-anchor=\"middle\">%d</text>", middle, i * a_square_);
      svg += text_of("<text x=\"-8\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n", middle + 4, i * a_square_);
    }
    return svg;
  }

  int ranks_ = 0;
  int a_square_ = 1;  // ranks
  double all_ = 0;
  double most_ = 0;
  std::map<std::pair<int, int>, double> squares_;  // by from, then by to
};

}  // namespace

std::string messages_svg(const metrics::Job& job, const std::string& title) {
  const Matrix matrix(job);
  if (matrix.is_empty())
    throw Error(Status::not_found, "--svg-messages: in this record no rank sent anything to another");
  std::string svg = text_of(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
      kLeft + kSide + 40, kTop + kSide + 30);
  svg += text_of("<text x=\"%.0f\" y=\"22\" font-size=\"15\" font-weight=\"bold\">", kLeft) + "Messages of " +
         svg_text(title) + "</text>\n";
  svg += text_of("<text x=\"%.0f\" y=\"42\">", kLeft) + matrix.head() + "</text>\n";
  return svg + text_of("<g transform=\"translate(%.0f %.0f)\">\n", kLeft, kTop) + matrix.draw() + "</g>\n</svg>\n";
}

}  // namespace comity::cli
