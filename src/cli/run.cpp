// SPDX-License-Identifier: BSD-3-Clause
// `comity run`: a launcher's command with Comity's library preloaded into its ranks. Reads the words, prints or starts the
// plan. Not: the plan (run/), nor what the library does (src/preload).
#include "cli/run.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/log.hpp"
#include "base/options.hpp"
#include "base/shell.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/json_text.hpp"
#include "cli/common/settings.hpp"
#include "cli/run/figures_file.hpp"
#include "cli/run/outside.hpp"
#include "cli/run/plan.hpp"
#include "cli/run/record_folder.hpp"
#include "cli/run/spinning_calls.hpp"
#include "memory/component.hpp"
#include "os/environment.hpp"
#include "os/process/become.hpp"

namespace comity::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kExamples{
    Example{"comity run --metrics -- mpirun -n 4 ./app", "ranks 0 to 3 under Comity's eyes; a table at the end"},
    Example{"comity run --metrics --metrics-json m.json -- mpirun -n 4 ./app", "the same, and its figures in m.json"},
    Example{"comity run --record out -- mpirun -n 1 ./a : -n 3 ./b", "two programs in one job, one record in out/"},
    Example{"comity run --memory -- mpirun -n 4 ./app", "whose the memory of its ranks is; a table at the end"},
    Example{"comity run --reorder -- mpirun -n 80 ./stencil", "neighbours of its MPI_Cart_create come close together"},
    Example{"comity run -n 4 --launcher srun -- ./app", "the launcher's line made for you"},
    Example{"comity run --mpi mpich -- srun -n 4 python3 a.py", "an interpreter does not tell its MPI: say it"},
    Example{"comity run --dry-run -- mpirun -n 4 ./app", "only print what would be run, for a shell or a job script"},
};

constexpr Manual kManual{
    "run", "-- COMMAND...",
    "Run a program with Comity's library preloaded into its ranks, and not into its launcher. COMMAND begins with "
    "mpirun, "
    "mpiexec or srun, of Open MPI, of MPICH and its relatives, or of Slurm; Comity adds that launcher's own options "
    "for "
    "variables of ranks and leaves the rest as it is. Without a launcher the program itself is started, as one rank; "
    "with "
    "--ranks a launcher is put before it.\n"
    "The MPI is the launcher's, by what its --version says, and checked in each rank: under another MPI the library "
    "steps aside and says so. Slurm starts ranks of any MPI, so there the program's file decides, or --mpi.\n"
    "The command becomes the launcher: exit code, signals, Ctrl-C and terminal are the program's own. It ends with 1 "
    "or 2 "
    "where nothing was started.",
    kExamples};

struct Wishes {
  launch::Request request;
  bool metrics = false;
  std::string figures;  // the file that has them as JSON
  bool writes_figures = false;
  bool reorder = false;
  std::string folder;  // of the record
  bool records = false;
  std::string budget_kb;
  std::string memory_method;  // "": not said
  bool memory_paths = false;
  bool memory_touches = false;
  bool memory_variables = false;
  bool dry_run = false;
  bool json = false;
};

void declare(Arguments& arguments, Wishes& wishes) {
  CLI::App& app = arguments.options();
  app.add_flag("--metrics", wishes.metrics, "print a table of the run's efficiencies at its end");
  app.add_option("--metrics-json", wishes.figures,
                 "with --metrics: write the figures of that table as JSON there too, over a file that is there")
      ->type_name("FILE");
  app.add_flag(
      "--memory", wishes.request.memory,
      "print at the end whose the memory of the ranks is, MPI's, the application's or another's, and keep it in "
      "the record");
  app.add_option(
         "--method", wishes.memory_method,
         "with --memory: owner, memory is whose code asked for it; delta, beside that by the rule of older tools, "
         "what changes during a call of MPI is MPI's, which costs each call some microseconds; delta-pss, the same "
         "with "
         "shares of all mappings added up as those tools did, which costs each call milliseconds (owner)")
      ->type_name("METHOD");
  app.add_flag("--paths", wishes.memory_paths,
               "with --memory: also which call paths asked for it, which costs each block a microsecond or two");
  app.add_flag("--touches", wishes.memory_touches,
               "with --memory: also who has touched it first, which costs each page fault part of a microsecond");
  app.add_flag(
      "--variables", wishes.memory_variables,
      "with --memory: also what the MPI says of its own memory (MPI_T), for which it may load all its plugins");
  app.add_option("--coop", wishes.request.coop,
                 "on: ranks that wait in MPI sleep, and leave their cores to others; off: they spin; auto: on where "
                 "threads outnumber cores (auto)")
      ->type_name("STATE");
  app.add_flag("--reorder", wishes.reorder,
               "communicators of grids and graphs get an order that fits the machine, where the program allows it");
  app.add_option("--record", wishes.folder, "keep the record of the run in this folder, which is made")
      ->type_name("DIR");
  app.add_option("--record-budget", wishes.budget_kb,
                 "how large the record of one rank may grow, in KB (`comity env` has the default)")
      ->type_name("KB");
  app.add_option("-n,--ranks", wishes.request.ranks, "start so many ranks, with a launcher that COMMAND does not name")
      ->type_name("N");
  app.add_option("--launcher", wishes.request.launcher,
                 "the launcher to put before COMMAND (the first on the PATH that starts the program's MPI)")
      ->type_name("NAME");
  app.add_option("--mpi", wishes.request.mpi, "openmpi or mpich, where neither launcher nor program tells")
      ->type_name("MPI");
  app.add_flag("--dry-run", wishes.dry_run, "print the command in one line, and run nothing");
  app.add_flag("--json", wishes.json, "with --dry-run: print one JSON object instead of text");
}

bool takes_value(const CLI::App& app, const std::string& word) {
  const CLI::Option* const option = app.get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_max() > 0;
}

// Where the command's own words end: at the "--". A word before it that is no option is what the user meant to run.
std::span<const std::string> own_words(const CLI::App& app, std::span<const std::string> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") return words.first(i);
    if (!words[i].starts_with('-')) {
      throw UsageError("put -- before the command: comity run [OPTIONS] -- " + words[i] + " ..");
    }
    if (takes_value(app, words[i])) ++i;
  }
  return words;
}

const OptionRow& row_of(OptionId id) { return kOptionTable[static_cast<std::size_t>(id)]; }

bool is_owner_method(const std::string& method) { return method.empty() || method == "owner"; }

std::vector<launch::Variable> settings(const Wishes& wishes) {
  std::vector<launch::Variable> all;
  const auto set = [&](OptionId id, const std::string& value) { all.push_back({std::string(row_of(id).name), value}); };
  if (wishes.metrics) set(OptionId::metrics, "on");
  if (wishes.writes_figures) set(OptionId::metrics_json, wishes.figures);
  if (wishes.request.memory) set(OptionId::memory, is_owner_method(wishes.memory_method) ? "on" : wishes.memory_method);
  if (wishes.memory_paths) set(OptionId::memory_paths, "on");
  if (wishes.memory_touches) set(OptionId::memory_touches, "on");
  if (wishes.memory_variables) set(OptionId::memory_variables, "on");
  if (wishes.reorder) set(OptionId::reorder, "on");
  if (wishes.records) set(OptionId::record_directory, wishes.folder);
  if (!wishes.budget_kb.empty()) set(OptionId::record_budget_kb, wishes.budget_kb);
  return all;
}

void check_words(const Wishes& wishes) {
  if (wishes.json && !wishes.dry_run) {
    throw UsageError(
        "--json goes with --dry-run; else the output is the program's, and --metrics-json FILE has the figures");
  }
  if (wishes.writes_figures && !wishes.metrics) throw UsageError("--metrics-json FILE goes with --metrics");
  if (!wishes.budget_kb.empty() && !wishes.records) throw UsageError("--record-budget goes with --record DIR");
  if (wishes.memory_paths && !wishes.request.memory) throw UsageError("--paths goes with --memory");
  if (wishes.memory_touches && !wishes.request.memory) throw UsageError("--touches goes with --memory");
  if (wishes.memory_variables && !wishes.request.memory) throw UsageError("--variables goes with --memory");
  if (!wishes.memory_method.empty()) {
    constexpr std::array<std::string_view, 3> kMethods{"owner", "delta", "delta-pss"};
    if (!wishes.request.memory) throw UsageError("--method goes with --memory");
    if (std::find(kMethods.begin(), kMethods.end(), wishes.memory_method) == kMethods.end()) {
      throw UsageError("there is no --method " + wishes.memory_method + hint(wishes.memory_method, kMethods));
    }
  }
  constexpr std::array<std::string_view, 3> kStates{"off", "auto", "on"};
  const std::string& coop = wishes.request.coop;
  if (!coop.empty() && std::find(kStates.begin(), kStates.end(), coop) == kStates.end()) {
    throw UsageError("there is no --coop " + coop + ", only off, auto and on");
  }
  const std::string& mpi = wishes.request.mpi;
  constexpr std::array<std::string_view, 2> kKnown{"openmpi", "mpich"};
  if (!mpi.empty() && std::find(kKnown.begin(), kKnown.end(), mpi) == kKnown.end()) {
    throw UsageError("there is no --mpi " + mpi + hint(mpi, kKnown));
  }
}

// By the table's own ranges.
void check_settings(const launch::Request& request) {
  const std::vector<launch::Variable>& all = request.settings;
  try {
    (void)Options([&](std::string_view name) -> std::optional<std::string> {
      const auto found =
          std::find_if(all.begin(), all.end(), [&](const auto& variable) { return variable.name == name; });
      return found == all.end() ? std::nullopt : std::optional(found->value);
    });
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

// Ranks that are told one would run on without Comity.
void check_variables() {
  for (const Setting& setting : cli::settings(os::environment)) {
    if (!setting.problem.empty()) throw UsageError(setting.problem);
  }
}

// Each rank would say so; it is said once, and before anything has started.
void check_rules(const launch::Request& request) {
  if (request.memory) (void)memory::components_of(os::environment(row_of(OptionId::memory_rules).name).value_or(""));
}

// What --memory sets stands before what the environment has.
void tell_of_environment(const Wishes& wishes) {
  const std::string name(row_of(OptionId::memory).name);
  const std::string theirs = os::environment(name).value_or("off");
  if (!wishes.request.memory || !wishes.memory_method.empty() || theirs == "on" || theirs == "off") return;
  log::warning("run", name + "=" + theirs + " does not count, for --memory sets it to on; --method " + theirs +
                          " says the same");
}

// Of a program into which no library of ours is loaded.
void tell_what_is_left_out(const launch::Plan& plan, const Wishes& wishes) {
  std::string words = wishes.records ? ", --record" : "";
  if (!is_owner_method(wishes.memory_method)) words += ", --method " + wishes.memory_method;
  if (wishes.memory_paths) words += ", --paths";
  if (wishes.memory_touches) words += ", --touches";
  if (wishes.memory_variables) words += ", --variables";
  if (!plan.mpi.empty() || words.empty()) return;
  log::warning("run", "left out, for it takes Comity's library in the program:" + words.substr(1));
}

std::string to_text(const launch::Plan& plan) {
  std::string line;
  if (plan.launcher.empty()) {
    for (const launch::Variable& variable : plan.variables) {
      line += variable.name + '=' + quoted(variable.value) + ' ';
    }
  }
  return line + shell_line(plan.words) +
         (plan.coop.setting == "on" ? launch::list_of_spinning_calls(plan) : std::string());
}

Json to_json(const launch::Plan& plan) {
  Json environment = Json::object();
  for (const launch::Variable& variable : plan.variables) environment[variable.name] = variable.value;
  return {{"command", plan.words},
          {"environment", environment},
          {"mpi", plan.mpi},
          {"launcher", plan.launcher},
          {"coop", launch::coop_to_json(plan)}};
}

int print(const launch::Plan& plan, bool json) {
  std::fputs((json ? json_text(to_json(plan)) : to_text(plan) + '\n').c_str(), stdout);
  return kGood;
}

[[noreturn]] void start(const launch::Plan& plan, const Wishes& wishes) {
  if (wishes.records && !plan.mpi.empty()) launch::make_record_folder(wishes.folder);
  if (wishes.writes_figures && !plan.mpi.empty()) launch::clear_figures_file(wishes.figures);
  std::fflush(stdout);
  const bool tells_memory = wishes.request.memory;
  if ((wishes.metrics || tells_memory) && plan.mpi.empty())
    launch::run_seen_from_outside(plan, tells_memory ? launch::TellMemory::yes : launch::TellMemory::no);
  if (tells_memory && !wishes.records) launch::run_and_tell_how_ranks_were_lost(plan);
  os::become(plan.words, plan.launcher.empty() ? plan.variables : std::vector<launch::Variable>{});
}

// In one line, what was decided: of what is left to the ranks they tell themselves, and what the user has decided is no news.
void tell(const launch::Plan& plan, const std::string& asked_for) {
  log::set_level(log::level_named(os::environment(row_of(OptionId::log).name).value_or("")));
  const launch::CoopPlan& coop = plan.coop;
  if (coop.why.empty()) return;
  const bool is_off = coop.setting == "off";
  const bool is_decided = is_off && coop.is_by_itself && !plan.launcher.empty();
  if (asked_for == "auto" || is_decided) {
    std::fprintf(stderr, "comity: cooperative waits %s: %s\n", is_off ? "off" : "left to the ranks", coop.why.c_str());
  } else {
    log::info("run", "cooperative waits: " + coop.setting + ", " + coop.why);
  }
}

}  // namespace

int run_command(std::span<const std::string> words) {
  Wishes wishes;
  Arguments arguments(kManual);
  declare(arguments, wishes);
  const std::span<const std::string> own = own_words(arguments.options(), words);
  if (arguments.parse(own) == Next::stop) return kGood;
  wishes.records = arguments.options().count("--record") > 0;
  wishes.writes_figures = arguments.options().count("--metrics-json") > 0;
  if (arguments.options().count("--ranks") > 0 && wishes.request.ranks < 1) {
    throw UsageError("--ranks takes a number from 1 on");
  }
  check_words(wishes);
  if (own.size() + 1 >= words.size()) throw UsageError("there is no command; write it after a --");
  wishes.request.command.assign(words.begin() + static_cast<std::ptrdiff_t>(own.size()) + 1, words.end());
  if (wishes.records) wishes.folder = launch::record_folder(wishes.folder);
  if (wishes.writes_figures) wishes.figures = launch::figures_file(wishes.figures);
  wishes.request.settings = settings(wishes);
  check_settings(wishes.request);
  check_variables();
  check_rules(wishes.request);
  const launch::Plan plan = launch::make_plan(wishes.request, launch::this_machine());
  for (const std::string& note : plan.notes) log::warning("run", note);
  tell(plan, wishes.request.coop);
  tell_of_environment(wishes);
  tell_what_is_left_out(plan, wishes);
  if (wishes.dry_run) return print(plan, wishes.json);
  start(plan, wishes);
}

}  // namespace comity::cli
