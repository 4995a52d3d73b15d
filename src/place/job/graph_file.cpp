// SPDX-License-Identifier: BSD-3-Clause
#include "place/job/graph_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace comity::place {
namespace {

constexpr std::string_view kTableHead =
    "from,to,sends,sent_bytes,receives,received_bytes,puts,put_bytes,gets,got_bytes";
constexpr std::int64_t kNotTold = -3;  // what the table has for ranks that it does not tell apart
constexpr std::size_t kTableColumns = 10;

// In place of what `words` had: there are many lines.
void split(std::string_view line, std::string_view separators, std::vector<std::string_view>& words) {
  words.clear();
  while (true) {
    const std::size_t begin = line.find_first_not_of(separators);
    if (begin == std::string_view::npos) return;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(separators), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

// Lines one after the other, each without its end and, in our own form, its comment.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return line;
  }
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : lines_(text), name_(name) {}

  FileGraph parse() {
    const std::optional<std::string_view> first = lines_.next();
    if (first && *first == kTableHead) {
      read_table();
    } else {
      for (std::optional<std::string_view> line = first; line; line = lines_.next()) read_line(*line);
      if (ranks_ == 0) {
        throw Error(Status::argument, name_ + ": the line \"ranks N\" is missing; it comes before the edges");
      }
    }
    return {Graph(ranks_, together(ranks_, std::move(edges_))), left_out_};
  }

 private:
  [[noreturn]] void refuse(Status status, const std::string& why) const {
    throw Error(status, name_ + ", line " + std::to_string(lines_.number()) + ": " + why);
  }

  std::int64_t number(std::string_view word, std::int64_t least, std::int64_t most, const char* what) const {
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (problem == std::errc{} && end == word.data() + word.size() && value >= least && value <= most) return value;
    refuse(Status::range, std::string(what) + " is a number from " + std::to_string(least) + " to " +
                              std::to_string(most) + ", not " + in_quotes(word));
  }

  void read_line(std::string_view line) {
    split(line.substr(0, line.find('#')), " \t", words_);
    const std::vector<std::string_view>& words = words_;
    if (words.empty()) return;
    if (words[0] == "ranks") {
      read_ranks(words);
      return;
    }
    if (ranks_ == 0) refuse(Status::argument, "an edge before the line \"ranks N\"; write that first");
    if (words.size() != 2 && words.size() != 3) {
      refuse(Status::argument, "an edge is two ranks and, if it is not 1, a weight; this line has " +
                                   std::to_string(words.size()) + (words.size() == 1 ? " word" : " words"));
    }
    const auto last = static_cast<std::int64_t>(ranks_) - 1;
    const auto a = static_cast<Rank>(number(words[0], 0, last, "a rank of this graph"));
    const auto b = static_cast<Rank>(number(words[1], 0, last, "a rank of this graph"));
    if (a == b) refuse(Status::argument, "rank " + std::to_string(a) + " exchanges with itself; leave the line out");
    const Weight weight = words.size() == 3 ? number(words[2], 1, kMostWeight, "a weight") : 1;
    count(weight);
    edges_.push_back({a, b, weight});
  }

  void read_ranks(const std::vector<std::string_view>& words) {
    if (ranks_ != 0) refuse(Status::argument, "a second line \"ranks N\"; one says how many there are");
    if (words.size() != 2) refuse(Status::argument, "\"ranks\" takes one number");
    ranks_ = static_cast<std::size_t>(
        number(words[1], 1, static_cast<std::int64_t>(kMostRanks), "how many ranks there are"));
  }

  // What a rank sends is told by both sides; one-sided transfers by one. Messages to oneself stay where they are.
  void read_table() {
    while (const std::optional<std::string_view> line = lines_.next()) {
      if (line->empty()) continue;
      split(*line, ",", words_);
      const std::vector<std::string_view>& words = words_;
      if (words.size() != kTableColumns) {
        refuse(Status::argument, "a line of messages has " + std::to_string(kTableColumns) + " columns, not " +
                                     std::to_string(words.size()));
      }
      std::array<std::int64_t, kTableColumns> figures{};
      for (std::size_t i = 0; i < kTableColumns; ++i) {
        figures[i] = number(words[i], i < 2 ? kNotTold : 0,
                            i < 2 ? static_cast<std::int64_t>(kMostRanks) - 1 : kMostWeight / 4, "a column");
      }
      const std::int64_t from = figures[0], to = figures[1];
      ranks_ = static_cast<std::size_t>(std::max({static_cast<std::int64_t>(ranks_), from + 1, to + 1}));
      const Weight bytes = std::max(figures[3], figures[5]) + figures[7] + figures[9];
      if (bytes == 0 || (from == to && from >= 0)) continue;
      count(bytes);
      if (from < 0 || to < 0) {
        left_out_ += bytes;
      } else {
        edges_.push_back({static_cast<Rank>(from), static_cast<Rank>(to), bytes});
      }
    }
    if (ranks_ == 0)
      throw Error(Status::argument, name_ + ": the table tells of no messages; record a run that sends some");
  }

  void count(Weight weight) {
    if (weight > kMostWeight - total_) {
      refuse(Status::range, "all weights together exceed 2^60; give them in a larger unit");
    }
    total_ += weight;
  }

  Lines lines_;
  const std::string& name_;
  std::vector<std::string_view> words_;  // of the line at hand
  std::size_t ranks_ = 0;
  Weight total_ = 0, left_out_ = 0;
  std::vector<Edge> edges_;
};

}  // namespace

FileGraph parse_graph(std::string_view text, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // which editors of some systems put first
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return Parser(text, name).parse();
}

}  // namespace comity::place
