// SPDX-License-Identifier: BSD-3-Clause
#include "place/hosts.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "place/job/graph.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kLongestName = 255;
constexpr std::size_t kMostDigits = 9;
constexpr std::ptrdiff_t kMostBrackets = 4;
constexpr std::string_view kSlots = "slots";

class Parser {
 public:
  Parser(std::string_view text, const std::string& name)
      : rest_(text), has_lines_(text.find('\n') != std::string_view::npos), name_(name) {}

  std::vector<Host> parse() {
    for (std::string_view word = next_word(); !word.empty(); word = next_word()) take(word);
    if (after_comma_ && !hosts_.empty()) refuse("a name is missing behind the last comma");
    if (hosts_.empty()) throw Error(Status::argument, name_ + " names no host; write one a line, as in node1:8");
    for (Host& host : hosts_) {
      const Count& count = counts_.at(host.name);
      if (count.told > kMostRanks) refuse(host.name + " has more than " + std::to_string(kMostRanks) + " slots");
      if (count.has_slots || count.times > 1) host.slots = static_cast<std::uint32_t>(count.told);
    }
    return std::move(hosts_);
  }

 private:
  struct Count {
    std::uint64_t told = 0;  // a place without a number is one slot
    std::uint64_t times = 0;
    bool has_slots = false;
  };

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Status::argument, name_ + (has_lines_ ? ", line " + std::to_string(line_) : "") + ": " + why);
  }

  // Words end at blanks, and at commas outside of brackets.
  std::string_view next_word() {
    skip_blanks();
    std::size_t end = 0;
    bool inside = false;
    for (; end < rest_.size(); ++end) {
      const char letter = rest_[end];
      if (letter == '[') inside = true;
      if (letter == ']') inside = false;
      if (letter == '#' || letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r') break;
      if (letter == ',' && !inside) break;
    }
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (!word.empty()) after_comma_ = false;
    return word;
  }

  // A comma ends a name; where none is before it a variable of some script was empty.
  void take_comma() {
    if (after_comma_) refuse("a name is missing before a comma");
    after_comma_ = true;
  }

  void skip_blanks() {
    while (!rest_.empty()) {
      const char letter = rest_.front();
      if (letter == '#') {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
        continue;
      }
      if (letter != ' ' && letter != '\t' && letter != '\n' && letter != '\r' && letter != ',') return;
      if (letter == '\n') ++line_;
      if (letter == ',') take_comma();
      rest_.remove_prefix(1);
    }
  }

  std::uint64_t number(std::string_view text, const std::string& what) const {
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem == std::errc{} && end == text.data() + text.size() && text.size() <= kMostDigits) return value;
    refuse(what + " is a number, not " + in_quotes(text));
  }

  void take(std::string_view word) {
    if (const std::size_t sign = word.find('='); sign != std::string_view::npos) {
      take_setting(word.substr(0, sign), word.substr(sign + 1));
      return;
    }
    std::optional<std::uint64_t> slots;
    if (std::count(word.begin(), word.end(), ':') > 1) {
      refuse(in_quotes(word) +
             " looks like an IPv6 address, or has slots twice; write the name of the host, as in n1:8");
    }
    if (const std::size_t sign = word.find(':'); sign != std::string_view::npos) {
      slots = slots_of(word.substr(sign + 1));
      word = word.substr(0, sign);
    }
    if (std::count(word.begin(), word.end(), '[') > kMostBrackets) {
      refuse("a name has at most " + std::to_string(kMostBrackets) + " brackets");
    }
    last_.clear();
    expand(std::string(word), slots);
  }

  static bool is_setting(std::string_view word) { return word == kSlots || word == "max_slots" || word == "max-slots"; }

  std::uint64_t slots_of(std::string_view text) const {
    const std::uint64_t slots = number(text, "how many slots a host has");
    if (slots == 0 || slots > kMostRanks) {
      refuse("a host has 1 to " + std::to_string(kMostRanks) + " slots, not " + std::to_string(slots));
    }
    return slots;
  }

  // Open MPI's "slots=8" behind a host; its other settings say nothing about places.
  void take_setting(std::string_view what, std::string_view value) {
    if (!is_setting(what))
      refuse(in_quotes(std::string(what) + '=') + " is no setting of a host; there are slots and max_slots");
    if (what != kSlots) return;
    if (last_.empty()) refuse("slots= stands behind the name of its host");
    const std::uint64_t slots = slots_of(value);
    for (const std::string& host : last_) {
      Count& count = counts_.at(host);
      count.told += slots - 1;
      count.has_slots = true;
    }
    last_.clear();
  }

  // "n[01-04,7]x" as its names, one bracket after the other.
  void expand(const std::string& word, std::optional<std::uint64_t> slots) {
    const std::size_t open = word.find('[');
    if (open == std::string::npos) {
      add(word, slots);
      return;
    }
    const std::size_t close = word.find(']', open);
    if (close == std::string::npos) refuse(in_quotes(word) + " has a [ without its ]");
    const std::string before = word.substr(0, open), after = word.substr(close + 1);
    std::string_view list = std::string_view(word).substr(open + 1, close - open - 1);
    while (true) {
      const std::size_t comma = std::min(list.find(','), list.size());
      for (std::string& middle : range_of(list.substr(0, comma))) {
        expand(middle.insert(0, before).append(after), slots);
      }
      if (comma == list.size()) return;
      list.remove_prefix(comma + 1);
    }
  }

  std::vector<std::string> range_of(std::string_view text) const {
    const std::size_t dash = text.find('-');
    const std::string_view low = text.substr(0, dash);
    const std::uint64_t first = number(low, "what stands in brackets");
    const std::uint64_t last =
        dash == std::string_view::npos ? first : number(text.substr(dash + 1), "what stands in brackets");
    if (last < first) refuse(in_quotes(text) + " is no range of hosts");
    if (last - first >= kMostHosts) {
      refuse(in_quotes(text) + " are more hosts than a list may have, " + std::to_string(kMostHosts));
    }
    std::vector<std::string> names;
    for (std::uint64_t value = first; value <= last; ++value) {
      std::string digits = std::to_string(value);
      if (digits.size() < low.size()) digits.insert(0, low.size() - digits.size(), '0');
      names.push_back(std::move(digits));
    }
    return names;
  }

  void add(const std::string& host, std::optional<std::uint64_t> slots) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    if (host.empty() || host.size() > kLongestName || host.front() == '-' ||
        host.find_first_not_of(kLetters) != std::string::npos) {
      refuse(in_quotes(host) + " is no name of a host");
    }
    if (is_setting(host)) refuse(host + " is a setting of a host and has a number, as in slots=8");
    Count& count = counts_[host];
    if (count.times == 0) hosts_.push_back({host});
    if (hosts_.size() > kMostHosts) refuse("there are more than " + std::to_string(kMostHosts) + " hosts");
    if (++total_ > kMostRanks) refuse("hosts are named more than " + std::to_string(kMostRanks) + " times");
    ++count.times;
    count.told += slots.value_or(1);
    count.has_slots = count.has_slots || slots.has_value();
    last_.push_back(host);
  }

  std::string_view rest_;
  bool has_lines_;  // else it is a word of somebody's
  const std::string& name_;
  std::size_t line_ = 1;
  bool after_comma_ = true;  // or at the begin
  std::size_t total_ = 0;
  std::vector<Host> hosts_;
  std::unordered_map<std::string, Count> counts_;
  std::vector<std::string> last_;  // hosts of the word before, which a setting is about
};

}  // namespace

std::vector<std::uint32_t> parse_counts(std::string_view text, const std::string& name) {
  const auto refuse = [&] {
    throw Error(Status::argument, name + ": a number for each node is written as in 4(x2),8, not " + in_quotes(text));
  };
  const auto number = [&](std::string_view digits, std::size_t most) {
    std::uint32_t value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (problem != std::errc{} || end != digits.data() + digits.size() || value == 0 || value > most) refuse();
    return value;
  };
  std::vector<std::uint32_t> counts;
  for (std::string_view rest = text;;) {
    const std::string_view one = rest.substr(0, rest.find(','));
    const std::size_t open = one.find("(x");
    std::uint32_t times = 1;
    if (open != std::string_view::npos) {
      if (one.back() != ')') refuse();
      times = number(one.substr(open + 2, one.size() - open - 3), kMostHosts);
    }
    if (counts.size() + times > kMostHosts) refuse();
    counts.insert(counts.end(), times, number(one.substr(0, open), kMostRanks));
    if (one.size() == rest.size()) return counts;
    rest.remove_prefix(one.size() + 1);
  }
}

std::vector<Host> parse_hosts(std::string_view text, const std::string& name) { return Parser(text, name).parse(); }

std::vector<std::string> names_of(const std::vector<Host>& hosts) {
  std::vector<std::string> names;
  names.reserve(hosts.size());
  for (const Host& host : hosts) names.push_back(host.name);
  return names;
}

std::vector<std::string> parse_names(std::string_view text, const std::string& name) {
  std::vector<std::string> names;
  for (Host& host : parse_hosts(text, name)) {
    if (host.slots) {
      throw Error(Status::argument, name + ": " + host.name + " comes twice here, or has slots; name it once, without");
    }
    names.push_back(std::move(host.name));
  }
  return names;
}

}  // namespace comity::place
