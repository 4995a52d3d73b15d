// SPDX-License-Identifier: BSD-3-Clause
#include "place/topology_conf.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace comity::place {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return result;
}

constexpr std::string_view kBlanks = " \t\r";

void skip_blanks(std::string_view& line) { line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size())); }

struct KeyValue {
  std::string_view key, value;
  std::string_view word;  // as they stand there
};

// Takes the next one off the line. As in Slurm blanks may stand around the sign, and quotes around the value.
std::optional<KeyValue> take_key_value(std::string_view& line, const std::string& where) {
  skip_blanks(line);
  if (line.empty()) return std::nullopt;
  const std::string_view whole = line;
  const auto taken = [&](std::size_t length) {
    const std::string_view part = line.substr(0, length);
    line.remove_prefix(part.size());
    return part;
  };
  const std::string_view key = taken(line.find_first_of(" \t\r="));
  skip_blanks(line);
  if (lower(key) == "include") {
    throw Error(Status::argument, where + ": lines of other files (include) are not read; write them in here");
  }
  const bool has_sign = line.starts_with('=');
  if (has_sign) line.remove_prefix(1);
  skip_blanks(line);
  if (!has_sign || key.empty() || line.empty()) {
    const std::string_view word = whole.substr(0, whole.find_first_of(kBlanks));
    throw Error(Status::argument, where + ": " + in_quotes(word) + " is no KEY=VALUE");
  }
  std::string_view value;
  if (line.starts_with('"')) {
    line.remove_prefix(1);
    const std::size_t end = line.find('"');
    if (end == std::string_view::npos) {
      throw Error(Status::argument, where + ": " + in_quotes(key) + " has a quote that does not end");
    }
    value = taken(end);
    line.remove_prefix(1);
  } else {
    value = taken(line.find_first_of(kBlanks));
  }
  if (value.empty()) throw Error(Status::argument, where + ": " + in_quotes(key) + " has an empty value");
  return KeyValue{key, value, whole.substr(0, whole.size() - line.size())};
}

// One line, without its comment: "SwitchName=s1 Nodes=n[1-4] LinkSpeed=100".
std::optional<Switch> read_switch(std::string_view line, const std::string& where) {
  Switch result;
  std::set<std::string> told;  // keys
  while (const std::optional<KeyValue> next = take_key_value(line, where)) {
    const auto [written, value, word] = *next;
    const std::string key = lower(written);
    if (!is_visible(word))
      throw Error(Status::argument,
                  where + ": " + in_quotes(word) + " has bytes that are no letters; write it without them");
    if (!told.insert(key).second) {
      throw Error(Status::argument, where + ": " + in_quotes(written) + " stands there twice; tell it once");
    }
    if (key == "switchname") {
      result.name = value;
    } else if (key == "switches") {
      result.switches = parse_names(value, where);
    } else if (key == "nodes") {
      result.nodes = parse_names(value, where);
    } else if (key != "linkspeed") {
      throw Error(Status::argument, where + ": " + in_quotes(written) +
                                        " is no key of a tree; there are SwitchName, Switches, Nodes and LinkSpeed");
    }
  }
  if (told.empty()) return std::nullopt;
  if (result.name.empty()) throw Error(Status::argument, where + ": the line names no switch; write SwitchName= first");
  return result;
}

}  // namespace

Network parse_topology_conf(std::string_view text, const std::string& name) {
  std::vector<Switch> switches;
  std::size_t number = 0;
  while (!text.empty()) {
    std::string line;
    const std::size_t first = number + 1;
    bool goes_on = true;
    while (goes_on && !text.empty()) {  // a backslash joins the next line
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view piece = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++number;
      piece = piece.substr(0, piece.find('#'));
      goes_on = piece.ends_with('\\');
      if (goes_on) piece.remove_suffix(1);
      line += piece;
    }
    const std::string where = name + ", line " + std::to_string(first);
    if (std::optional<Switch> one = read_switch(line, where)) switches.push_back(*std::move(one));
  }
  return switch_tree(switches, name);
}

}  // namespace comity::place
