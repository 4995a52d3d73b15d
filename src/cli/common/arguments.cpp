// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/arguments.hpp"

#include <CLI/CLI.hpp>  // the definitions behind CLI/App.hpp, once for all

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/spelling.hpp"
#include "cli/common/roff.hpp"
#include "cli/common/screen.hpp"
#include "os/proc.hpp"

namespace comity::cli {
namespace {

constexpr std::size_t kTextColumn = 24;  // where the explanation of an option starts
constexpr std::size_t kMostToldBytes = 200;

std::string names_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string text;
  for (const std::string& name : option.get_snames()) text += (text.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) text += (text.empty() ? "--" : ", --") + name;
  return text;
}

std::string value_of(const CLI::Option& option) {
  if (option.get_positional() || option.get_items_expected_max() == 0) return {};
  return option.get_type_name();
}

std::string spelled(const CLI::Option& option) {
  const std::string value = value_of(option);
  return names_of(option) + (value.empty() ? "" : ' ' + value);
}

bool takes_value(const CLI::App& app, const std::string& word) {
  const CLI::Option* const option = word.starts_with('-') ? app.get_option_no_throw(word) : nullptr;
  return option != nullptr && option->get_items_expected_max() > 0;
}

std::string option_line(const CLI::Option& option) {
  const std::string name = "  " + spelled(option);
  std::string text = wrap(option.get_description(), kTextColumn);
  if (name.size() + 2 > kTextColumn) return name + '\n' + text;
  return text.replace(0, name.size(), name);
}

}  // namespace

pid_t parse_pid(const std::string& text) {
  const auto value = os::parse_int(text);
  if (!value || *value <= 0) throw UsageError(in_quotes(text) + " is no process number; write a PID as ps shows it");
  return *value;
}

std::string hint(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(word, known);
  if (!nearest.empty()) return "; did you mean " + std::string(nearest) + "?";
  std::string names;
  for (const std::string_view name : known) names += (names.empty() ? "" : ", ") + std::string(name);
  return "; there are: " + names;
}

Arguments::Arguments(const Manual& manual) : manual_(manual) {
  app_.allow_extras();  // so that reject_unknown() sees them, and can say what is near
  app_.set_help_flag("-h,--help", "print this page");
}

CLI::Option* Arguments::add_json_flag(bool& json) {
  return app_.add_flag("--json", json, "print one JSON object instead of text");
}

Next Arguments::parse(std::span<const std::string> words) {
  if (words.size() == 1 && words.front() == kManWord) {
    std::fputs(man_text().c_str(), stdout);
    return Next::stop;
  }
  reject_empty(words);
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // CLI11 takes them from the back
  try {
    app_.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    std::fputs(help_text().c_str(), stdout);
    return Next::stop;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  reject_unknown();
  return Next::run;
}

// An empty value would count as none, and nobody means that: a variable of a script was not set, or `pidof` found nothing.
void Arguments::reject_empty(std::span<const std::string> words) const {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    const bool ends_in_sign = word.starts_with("--") && word.find('=') + 1 == word.size();
    if (!word.empty() && !ends_in_sign) continue;
    const std::string before = ends_in_sign ? word.substr(0, word.size() - 1) : i > 0 ? words[i - 1] : "";
    if (takes_value(app_, before)) {
      throw UsageError(before + " has an empty value; write one, or leave the option out");
    }
    if (word.empty()) throw UsageError("a word is empty; write what it stands for, or leave it out");
  }
}

void Arguments::reject_unknown() const {
  const std::vector<std::string> unknown = app_.remaining();
  if (unknown.empty()) return;
  const std::string& first = unknown.front();
  if (!first.starts_with("-")) throw UsageError(in_quotes(first) + " is one word too many");
  std::vector<std::string> names;
  for (const CLI::Option* option : app_.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string word = first.substr(0, first.find('='));
  throw UsageError("there is no option " + shortened(word, kMostToldBytes) + hint(word, known));
}

std::string Arguments::help_text() const {
  std::string text = "usage: comity " + std::string(manual_.name) + " [OPTIONS]";
  if (!manual_.operands.empty()) text += ' ' + std::string(manual_.operands);
  text += "\n\n";
  std::string_view rest = manual_.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    text += wrap(rest.substr(0, end), 0);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  text += '\n';
  for (const CLI::Option* option : app_.get_options()) text += option_line(*option);
  if (!manual_.examples.empty()) text += "\nexamples:\n";
  for (const Example& example : manual_.examples) {
    text += "  " + std::string(example.line) + '\n' + wrap(example.meaning, 6);
  }
  return text;
}

std::string Arguments::man_text() const {
  using namespace roff;
  std::string text = section("SYNOPSIS");
  text += bold("comity " + std::string(manual_.name)) + " [" + italic("OPTIONS") + ']';
  if (!manual_.operands.empty()) text += ' ' + italic(manual_.operands);
  text += '\n' + section("DESCRIPTION") + paragraphs(manual_.text) + section("OPTIONS");
  for (const CLI::Option* option : app_.get_options()) {
    const std::string value = value_of(*option);
    text += item(bold(names_of(*option)) + (value.empty() ? "" : ' ' + italic(value)), option->get_description());
  }
  if (!manual_.examples.empty()) text += section("EXAMPLES");
  for (const Example& example : manual_.examples) text += item(bold(example.line), example.meaning);
  return text;
}

}  // namespace comity::cli
