// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/man_page.hpp"

#include <comity/version.h>

#include <cstdio>
#include <string_view>
#include <vector>

#include "base/options.hpp"
#include "base/utf8.hpp"
#include "cli/commands.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/roff.hpp"
#include "cli/common/settings.hpp"
#include "cli/overview.hpp"

namespace comity::cli {
namespace {

constexpr std::string_view kOverviewPage = "comity.1";
constexpr std::string_view kSettingsPage = "comity-environment.7";

std::string page_of(const Command& command) { return "comity-" + std::string(command.name) + ".1"; }

std::vector<std::string> pages() {
  std::vector<std::string> names{std::string(kOverviewPage)};
  for (const Command& row : kCommands) names.push_back(page_of(row));
  names.emplace_back(kSettingsPage);
  return names;
}

// "comity-topo.1" as a reader writes it: comity-topo(1).
std::string reference(std::string_view page) {
  const std::size_t dot = page.rfind('.');
  return roff::bold(page.substr(0, dot)) + '(' + std::string(page.substr(dot + 1)) + ')';
}

std::string head(std::string_view page, std::string_view summary) {
  const std::string_view name = page.substr(0, page.rfind('.'));
  return roff::title(name, page.back(), COMITY_VERSION_STRING) + roff::section("NAME") + roff::escaped(name) + " \\- " +
         roff::escaped(summary) + '\n';
}

std::string exit_status() { return roff::section("EXIT STATUS") + roff::paragraphs(kExitCodes); }

// Every other page.
std::string see_also(std::string_view page) {
  std::string text;
  for (const std::string& other : pages()) {
    if (other != page) text += (text.empty() ? "" : ",\n") + reference(other);
  }
  return roff::section("SEE ALSO") + text + '\n';
}

std::string synopsis_line(std::string_view words, std::string_view operand) {
  return roff::bold(words) + ' ' + roff::italic(operand) + '\n';
}

std::string overview_page() {
  using namespace roff;
  std::string text = head(kOverviewPage, "every phase of a coupled MPI+X program on every core of the node");
  text += section("SYNOPSIS") + synopsis_line("comity", "COMMAND [OPTIONS]") + ".br\n" +
          synopsis_line("comity help", "[COMMAND]") + ".br\n" + synopsis_line("comity --man", "[PAGE]") + ".br\n" +
          bold("comity --version") + '\n';
  text += section("DESCRIPTION") + paragraphs(kPurpose) + section("COMMANDS");
  for (const Command& row : kCommands) text += item(reference(page_of(row)), row.summary);
  text += section("OPTIONS") + item(bold("-h, --help"), "list the commands; after a command, its options and examples");
  text += item(bold("--man") + ' ' + italic("[PAGE]"), "list the manual pages, or print one of them for man");
  text += item(bold("-V, --version"), "print the version");
  text += exit_status() + section("EXAMPLES");
  for (const Example& example : kOverviewExamples) text += item(bold(example.line), example.meaning);
  return text + see_also(kOverviewPage);
}

std::string value_text(std::string_view value, std::string_view unit) {
  if (value.empty()) return "(empty)";
  return std::string(value) + (unit.empty() ? "" : ' ' + std::string(unit));
}

std::string settings_page() {
  using namespace roff;
  std::string text = head(kSettingsPage, "the settings of Comity") + section("DESCRIPTION") + paragraphs(kSettingsText);
  text += section("ENVIRONMENT");
  for (const OptionRow& row : kOptionTable) {
    text += item(bold(row.name),
                 "Range " + value_text(row.range, row.unit) + "; default " + value_text(row.fallback, row.unit) + '.');
    text += ".IP\n" + paragraphs(row.help);
  }
  return text + see_also(kSettingsPage);
}

// The command itself prints the middle of its page, because only it knows its options.
int command_page(const Command& command, const std::string& page) {
  const std::string word(kManWord);
  std::fputs(head(page, command.summary).c_str(), stdout);
  const int code = command.run(std::span(&word, 1));
  std::fputs((exit_status() + see_also(page)).c_str(), stdout);
  return code;
}

int list_pages() {
  for (const std::string& name : pages()) std::puts(name.c_str());
  return kGood;
}

int print(const std::string& page) {
  std::fputs(page.c_str(), stdout);
  return kGood;
}

}  // namespace

int man_page(std::span<const std::string> words) {
  if (words.empty()) return list_pages();
  if (words.size() > 1) throw UsageError(in_quotes(words[1]) + " is one word too many");
  const std::string& page = words.front();
  if (page == kOverviewPage) return print(overview_page());
  if (page == kSettingsPage) return print(settings_page());
  for (const Command& row : kCommands) {
    if (page == page_of(row)) return command_page(row, page);
  }
  const std::vector<std::string> names = pages();
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw UsageError("there is no manual page " + in_quotes(page) + hint(page, known));
}

}  // namespace comity::cli
