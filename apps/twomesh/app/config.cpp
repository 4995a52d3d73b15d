// SPDX-License-Identifier: BSD-3-Clause
#include "app/config.hpp"

#include <toml++/toml.h>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <sstream>
#include <vector>

#include "base/spelling.hpp"
#include "l0/problems.hpp"

namespace twomesh::app {
namespace {

constexpr std::array<std::string_view, 5> kSections{"run", "l0", "l1", "remap", "layout"};
constexpr std::array<std::string_view, 2> kReturns{"all", "energy"};
constexpr std::array<std::string_view, 4> kResources{"numa", "package", "l3", "machine"};

struct Place {
  std::string file;
  std::string key;
};

[[noreturn]] void fail(const Place& place, const toml::node& node, const std::string& why) {
  std::ostringstream message;
  message << place.file << ':' << node.source().begin.line << ": " << place.key << ' ' << why;
  throw ConfigError(message.str());
}

std::string hint(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view nearest = comity::nearest_name(word, known);
  return nearest.empty() ? std::string() : "; did you mean " + std::string(nearest) + "?";
}

void read_integer(const toml::node& node, const Place& place, int least, int& value) {
  if (!node.is_integer()) fail(place, node, "must be a whole number");
  const std::int64_t given = node.as_integer()->get();
  if (given < least || given > 1'000'000) {
    fail(place, node, "is " + std::to_string(given) + ", must be " + std::to_string(least) + " .. 1000000");
  }
  value = static_cast<int>(given);
}

void read_pair(const toml::node& node, const Place& place, int least, std::array<int, 2>& value) {
  const toml::array* pair = node.as_array();
  if (pair == nullptr || pair->size() != 2) fail(place, node, "must be two whole numbers, as [96, 96]");
  for (std::size_t axis = 0; axis < 2; ++axis) read_integer(*pair->get(axis), place, least, value[axis]);
}

// least <= value <= most; `words` say so, and why where that is not plain.
struct Range {
  double least, most;
  const char* words;
};

constexpr Range kMaterialRange{0.0, 1e6, "0 .. 1e6"};
constexpr Range kCourantRange{1e-6, 0.5, "1e-6 .. 0.5, where the scheme is stable"};
constexpr Range kToleranceRange{1e-14, 0.1, "1e-14 .. 0.1: a solve seldom comes below that for rounding"};

void read_number(const toml::node& node, const Place& place, const Range& range, double& value) {
  const std::optional<double> given = node.value<double>();
  if (!node.is_number() || !given) fail(place, node, "must be a number");
  const bool inside = *given >= range.least && *given <= range.most;  // no: not a number
  if (!inside) fail(place, node, std::string("must be ") + range.words);
  value = *given;
}

void read_flag(const toml::node& node, const Place& place, bool& value) {
  if (!node.is_boolean()) fail(place, node, "must be true or false");
  value = node.as_boolean()->get();
}

void read_choice(const toml::node& node, const Place& place, std::span<const std::string_view> known,
                 std::string& value) {
  if (!node.is_string()) fail(place, node, "must be a string");
  const std::string& given = node.as_string()->get();
  if (std::find(known.begin(), known.end(), given) == known.end()) {
    std::string choices;
    for (const std::string_view name : known) choices += (choices.empty() ? "" : ", ") + std::string(name);
    fail(place, node, "is \"" + given + "\", must be one of " + choices + hint(given, known));
  }
  value = given;
}

// One row a key: its full name and how its value is read.
struct Key {
  std::string_view name;
  std::function<void(const toml::node&, const Place&)> read;
};

std::vector<Key> keys_of(Config& c) {
  using Node = const toml::node&;
  using At = const Place&;
  return {
      {"run.steps", [&](Node n, At at) { read_integer(n, at, 1, c.steps); }},
      {"run.problem", [&](Node n, At at) { read_choice(n, at, l0::problem_names(), c.problem); }},
      {"l0.cells", [&](Node n, At at) { read_pair(n, at, 4, c.l0_cells); }},
      {"l0.block", [&](Node n, At at) { read_pair(n, at, 4, c.l0_block); }},
      {"l0.courant", [&](Node n, At at) { read_number(n, at, kCourantRange, c.courant); }},
      {"l0.substeps", [&](Node n, At at) { read_integer(n, at, 1, c.substeps); }},
      {"l1.cells", [&](Node n, At at) { read_pair(n, at, 4, c.l1_cells); }},
      {"l1.strip_rows", [&](Node n, At at) { read_integer(n, at, 1, c.strip_rows); }},
      {"l1.conductivity", [&](Node n, At at) { read_number(n, at, kMaterialRange, c.conductivity); }},
      {"l1.mixing", [&](Node n, At at) { read_number(n, at, kMaterialRange, c.mixing); }},
      {"l1.tolerance", [&](Node n, At at) { read_number(n, at, kToleranceRange, c.tolerance); }},
      {"l1.max_iterations", [&](Node n, At at) { read_integer(n, at, 1, c.max_iterations); }},
      {"l1.hash_iterates", [&](Node n, At at) { read_flag(n, at, c.hash_iterates); }},
      {"remap.back", [&](Node n, At at) { read_choice(n, at, kReturns, c.back); }},
      {"layout.resource", [&](Node n, At at) { read_choice(n, at, kResources, c.resource); }},
      {"layout.per", [&](Node n, At at) { read_integer(n, at, 1, c.per); }},
      {"layout.narrow_per", [&](Node n, At at) { read_integer(n, at, 1, c.narrow_per); }},
      {"layout.narrow_substeps", [&](Node n, At at) { read_integer(n, at, 1, c.narrow_substeps); }},
  };
}

// The nearest key, by its full name or else by its last word: a key may stand in the wrong section or in none.
std::string key_hint(const std::string& given, const std::vector<Key>& keys) {
  const auto last_word = [](std::string_view name) { return name.substr(name.rfind('.') + 1); };
  std::vector<std::string_view> full, last;
  for (const Key& key : keys) {
    full.push_back(key.name);
    last.push_back(last_word(key.name));
  }
  std::string by_name = hint(given, full);
  if (!by_name.empty()) return by_name;
  const std::string_view word = comity::nearest_name(last_word(given), last);
  const auto found = std::find(last.begin(), last.end(), word);
  if (found == last.end()) return {};
  return "; did you mean " + std::string(full[static_cast<std::size_t>(found - last.begin())]) + "?";
}

void read_key(const std::vector<Key>& keys, const Place& place, const toml::node& node) {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == place.key; });
  if (found == keys.end()) fail(place, node, "is not a key" + key_hint(place.key, keys));
  found->read(node, place);
}

// [section] with its keys.
void read_section(const std::vector<Key>& keys, const Place& place, const toml::table& section) {
  const std::string prefix = place.key + '.';
  if (std::none_of(keys.begin(), keys.end(), [&](const Key& key) { return key.name.starts_with(prefix); })) {
    fail(place, section, "is not a section" + hint(place.key, kSections));
  }
  for (const auto& [key, value] : section) read_key(keys, {place.file, prefix + std::string(key.str())}, value);
}

void check_together(const Config& config, const std::string& name) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (config.l0_cells[axis] % config.l0_block[axis] != 0) {
      throw ConfigError(name + ": l0.cells " + std::to_string(config.l0_cells[axis]) + " is no multiple of l0.block " +
                        std::to_string(config.l0_block[axis]) + "; blocks must fill the mesh");
    }
  }
  if (config.narrow_substeps > config.substeps) {
    throw ConfigError(name + ": layout.narrow_substeps " + std::to_string(config.narrow_substeps) +
                      " are more than l0.substeps " + std::to_string(config.substeps) +
                      "; they are the last of those, so raise l0.substeps or ask for fewer");
  }
}

toml::table parse(std::string_view text, const std::string& name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    std::ostringstream message;
    message << name << ':' << error.source().begin.line << ": " << error.description();
    throw ConfigError(message.str());
  }
}

}  // namespace

Config parse_config(std::string_view text, const std::string& name) {
  Config config;
  const std::vector<Key> keys = keys_of(config);
  for (const auto& [key, content] : parse(text, name)) {
    const Place place{name, std::string(key.str())};
    if (const toml::table* section = content.as_table()) {
      read_section(keys, place, *section);
    } else {
      read_key(keys, place, content);
    }
  }
  check_together(config, name);
  return config;
}

}  // namespace twomesh::app
