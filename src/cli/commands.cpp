// SPDX-License-Identifier: BSD-3-Clause
#include "cli/commands.hpp"

#include <comity/version.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/log.hpp"
#include "base/options.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/man_page.hpp"
#include "cli/common/screen.hpp"
#include "cli/common/settings.hpp"
#include "cli/overview.hpp"
#include "os/environment.hpp"

namespace comity::cli {
namespace {

const Command* find_command(std::string_view name) {
  const auto found =
      std::find_if(kCommands.begin(), kCommands.end(), [&](const Command& row) { return row.name == name; });
  return found == kCommands.end() ? nullptr : found;
}

const Command& require_command(const std::string& name) {
  if (const Command* found = find_command(name)) return *found;
  if (name.starts_with("-")) {
    constexpr std::array<std::string_view, 3> kKnown{"--help", "--version", kManWord};
    throw UsageError("there is no option " + name + hint(name, kKnown));
  }
  std::vector<std::string_view> known{"help", "version"};
  for (const Command& row : kCommands) known.push_back(row.name);
  throw UsageError("there is no command \"" + name + "\"" + hint(name, known));
}

std::string overview() {
  constexpr std::size_t kExampleColumn = 29;
  std::string text = "usage: comity COMMAND [OPTIONS]\n\n" + wrap(kPurpose, 0) + "\ncommands:\n";
  for (const Command& row : kCommands) text += at_column("  " + std::string(row.name), 12, row.summary) + '\n';
  text += "  help      explain a command: comity help topo\n\n" +
          wrap("All take --json. " + std::string(kExitCodes), 0) + "\nexamples:\n";
  for (const Example& example : kOverviewExamples) {
    text += at_column("  " + std::string(example.line), kExampleColumn, example.meaning) + '\n';
  }
  return text;
}

int help(std::span<const std::string> words) {
  if (words.empty()) {
    std::fputs(overview().c_str(), stdout);
    return kGood;
  }
  if (words.front() == "help" || words.front() == "--help") return help({});
  const std::string option = "--help";
  return require_command(words.front()).run(std::span(&option, 1));
}

// `env` and `doctor` are about the variables and say it themselves; `run` starts nothing with a value that is none.
void warn_of_bad_variables(std::string_view command) {
  if (command == "env" || command == "doctor") return;
  for (const UnknownName& unknown : unknown_options(os::environment_names(kOptionPrefix))) {
    log::warning("cli", "the variable " + unknown.name + " is no setting of Comity" +
                            (unknown.nearest.empty() ? "" : "; did you mean " + std::string(unknown.nearest) + "?"));
  }
  for (const Setting& setting : settings(os::environment)) {
    if (!setting.problem.empty() && command != "run") log::warning("cli", setting.problem);
  }
}

int dispatch(std::span<const std::string> words) {
  if (words.empty()) {
    std::fputs(overview().c_str(), stderr);
    return kBadUsage;
  }
  const std::string& first = words.front();
  const std::span<const std::string> rest = words.subspan(1);
  if (first == "help" || first == "--help" || first == "-h") return help(rest);
  if (first == "version" || first == "--version" || first == "-V") {
    std::puts("comity " COMITY_VERSION_STRING);
    return kGood;
  }
  if (first == kManWord) return man_page(rest);
  const Command& command = require_command(first);
  warn_of_bad_variables(command.name);
  return command.run(rest);
}

std::string where(std::span<const std::string> words) {
  const bool known = !words.empty() && find_command(words.front()) != nullptr;
  return known ? "comity " + words.front() : "comity";
}

}  // namespace

int run(std::span<const std::string> words) {
  try {
    const int code = dispatch(words);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)  // of a long answer the last flush may have nothing left
      throw Error(Status::system, "write the answer: standard output takes no more; is the disk full?");
    return code;
  } catch (const UsageError& error) {
    const std::string page = where(words) == "comity" ? "comity help" : "comity help " + words.front();
    std::fprintf(stderr, "%s: %s\n`%s` shows what there is.\n", where(words).c_str(), error.what(), page.c_str());
    return kBadUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", where(words).c_str(), error.what());
    return kFindings;
  }
}

}  // namespace comity::cli
