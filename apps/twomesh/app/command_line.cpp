// SPDX-License-Identifier: BSD-3-Clause
#include "app/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/spelling.hpp"

namespace twomesh::app {
namespace {

constexpr std::string_view kAbout =
    "twomesh: a coupled program. L0 (2-D Euler, one thread a rank) and L1 (implicit heat conduction, "
    "MPI+OpenMP)\n"
    "alternate every step on two meshes. The modes differ in who runs where; results are bitwise the same in "
    "all.\n"
    "\n"
    "Modes:\n"
    "  under          few wide ranks run both; launch one rank for each team of cores\n"
    "  over           a rank on every core, and each starts --threads threads in L1\n"
    "  comity         a rank on every core; for L1 a few leaders take all cores while the others rest\n"
    "  comity-callee  the same, decided inside L1: its caller knows nothing of it\n"
    "  under-full     few ranks, each alone on a core in L0, wide in L1\n"
    "  full-under     as comity, and the last gas steps of L0 on a few ranks, a core each, while the others rest\n";

constexpr std::string_view kExamples =
    "Examples:\n"
    "  mpirun -n 1 --bind-to none twomesh-openmpi --mode under --threads 2\n"
    "  mpirun -n 2 --bind-to none twomesh-openmpi --mode comity --json comity.json\n"
    "  mpirun -n 2 --bind-to none twomesh-openmpi --mode comity --expect under.json   bitwise the same?\n"
    "  twomesh-openmpi --check all\n"
    "\n"
    "Ends with 0: done and all checks passed; 1: a check failed or results differ from --expect; 2: bad "
    "usage;\n"
    "3: the run broke off, or its result could not be written.";

std::string joined(const std::vector<std::string_view>& names) {
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

std::string with_hint(std::string message, std::string_view word, const std::vector<std::string_view>& known) {
  const std::string_view nearest = comity::nearest_name(word, known);
  if (!nearest.empty()) message += "; did you mean " + std::string(nearest) + "?";
  return message;
}

std::vector<std::string_view> option_names(const CLI::App& app, std::vector<std::string>& storage) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) storage.push_back("--" + name);
  }
  return {storage.begin(), storage.end()};
}

// Empty where all words are known.
std::string first_unknown(const CLI::App& app, const std::string& mode, const CommandLine& options,
                          const std::vector<std::string_view>& checks) {
  if (!app.remaining().empty()) {
    std::vector<std::string> storage;
    const std::string word = app.remaining().front();
    return with_hint("unknown option " + word, word.substr(0, word.find('=')), option_names(app, storage));
  }
  for (const char* name : {"--mode", "--config", "--steps", "--timeline", "--expect"}) {
    if (!options.checks.empty() && app.count(name) > 0) {
      return std::string(name) + " has no meaning beside --check, which runs checks instead of the simulation";
    }
  }
  const std::vector<std::string_view> modes(kModeNames.begin(), kModeNames.end());
  if (!mode_named(mode)) {
    return with_hint("--mode " + mode + " is no mode; known: " + joined(modes), mode, modes);
  }
  for (const std::string& name : options.checks) {
    if (std::find(checks.begin(), checks.end(), name) == checks.end()) {
      return with_hint("--check " + name + " is no check; known: " + joined(checks), name, checks);
    }
  }
  return {};
}

// CLI11 would read 010 as 8, and takes 0x10.
std::string why_no_number(const std::string& word) {
  const bool digits = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
  if (digits && (word.size() == 1 || word.front() != '0')) return {};
  return '"' + word + "\" is no whole number; give decimal digits without a leading 0";
}

// An empty word, as of a shell's variable that is not set, is not an option left out.
std::string first_without_file(const CLI::App& app) {
  for (const char* const name : {"--config", "--json", "--timeline", "--expect"}) {
    const CLI::Option* const option = app.get_option(name);
    if (option->count() > 0 && option->as<std::string>().empty()) return std::string(name) + " names no file";
  }
  return {};
}

}  // namespace

Parsed parse_command_line(int count, const char* const* words, const std::vector<std::string_view>& check_names) {
  std::vector<std::string_view> checks = check_names;
  checks.emplace_back("all");
  Parsed parsed;
  CommandLine& options = parsed.options;
  std::string mode{name_of(options.mode)};
  int steps = 0;
  const CLI::Validator number([](const std::string& word) { return why_no_number(word); }, "");
  CLI::App app{std::string(kAbout)};
  app.footer(std::string(kExamples));
  app.allow_extras();
  app.add_option("--mode", mode, "who runs where (see above)")->capture_default_str();
  app.add_option("--config", options.config_file, "TOML file; docs/twomesh.md lists its keys");
  app.add_option("--threads", options.threads, "threads of a wide rank in L1; 0: as many as it has cores")
      ->check(number)
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  CLI::Option* steps_option = app.add_option("--steps", steps, "steps to run, instead of the file's")
                                  ->check(number)
                                  ->check(CLI::Range(1, 1000000));
  app.add_option("--json", options.json_file, "write the result there");
  app.add_option("--timeline", options.timeline_file, "write when each thread ran which phase there, as JSON");
  app.add_option("--expect", options.expect_file, "an earlier --json file: checksums must be equal");
  app.add_option("--check", options.checks, "run a check instead of the simulation: " + joined(checks))
      ->take_all()
      ->allow_extra_args(false);
  try {
    app.parse(count, words);
  } catch (const CLI::CallForHelp&) {
    parsed.text = app.help();
    parsed.exit_status = 0;
    return parsed;
  } catch (const CLI::ParseError& error) {
    parsed.text = std::string("twomesh: ") + error.what() + " (--help shows the options)";
    parsed.exit_status = 2;
    return parsed;
  }
  if (steps_option->count() > 0) options.steps = steps;
  std::string unknown = first_without_file(app);
  if (unknown.empty()) unknown = first_unknown(app, mode, options, checks);
  if (!unknown.empty()) {
    parsed.text = "twomesh: " + unknown + " (--help shows the options)";
    parsed.exit_status = 2;
    return parsed;
  }
  options.mode = *mode_named(mode);
  return parsed;
}

}  // namespace twomesh::app
