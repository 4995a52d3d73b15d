// SPDX-License-Identifier: BSD-3-Clause
// The one table of settings, each an environment variable, and the values that a process runs with.
// `comity env`, the manual and the spelling hint come from the rows. Not: reading the environment (os/environment).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace comity {

enum class OptionKind : std::uint8_t { word, number, cpu_list, folder, text };

struct OptionRow {
  std::string_view name;  // COMITY_<AREA>_<WORD>: the environment variable
  OptionKind kind;
  std::string_view unit;      // "" for all but numbers
  std::string_view fallback;  // the value where the variable is unset
  std::string_view range;     // words: "a|b|c"; numbers: "low..high"; others: what it holds
  std::string_view help;      // what it does, and what raising and lowering it trades
};

enum class OptionId : std::uint8_t {
  log,
  machine_binding,
  node_handover,
  node_directory,
  node_slice_ms,
  node_spin_us,
  context_openmp,
  context_team_after_phase,
  coop,
  coop_spread,
  coop_far_late_us,
  coop_far_burn_percent,
  coop_far_watch,
  metrics,
  metrics_json,
  reorder,
  record_directory,
  record_budget_kb,
  record_launcher,
  memory,
  memory_rules,
  memory_paths,
  memory_touches,
  memory_variables,
  sched_scheduler,
  place_diagonal,
  place_costs,
};

inline constexpr std::array<OptionRow, 27> kOptionTable{{
    {"COMITY_LOG", OptionKind::word, "", "warning", "error|warning|info|debug",
     "How much is said on standard error. info tells what was decided at each create, debug each push and pop."},
    {"COMITY_MACHINE_BINDING", OptionKind::cpu_list, "", "", "a CPU list such as 0-3, empty for all",
     "The binding that a rank starts with on a simulated machine (HWLOC_SYNTHETIC, HWLOC_XMLFILE), where no launcher "
     "can bind. Set it per rank; no effect on the real machine."},
    {"COMITY_NODE_HANDOVER", OptionKind::word, "", "auto", "auto|proc|socket|file|none",
     "How ranks of a node get at their shared segment. auto tries proc, socket and file in turn; the others force one "
     "way, for diagnosis; none makes every rank its own node. All ranks of a job must have the same word."},
    {"COMITY_NODE_DIRECTORY", OptionKind::folder, "", "/dev/shm", "a folder on a local file system, by its whole path",
     "Where the hand-over `file` puts its short-lived file. A folder on disk works where /dev/shm is full or hidden, "
     "and costs disk writes until the kernel is done with the pages."},
    {"COMITY_NODE_SLICE_MS", OptionKind::number, "ms", "250", "10..500",
     "How long a sleeping rank goes without testing whether those it waits for still live. Lower tells a death sooner "
     "and wakes the core more often; higher is quieter and tells later."},
    {"COMITY_NODE_SPIN_US", OptionKind::number, "us", "-1", "-1..100000",
     "How long a wait spins before it sleeps; -1 follows the measured wake-up cost and does not spin where ranks share "
     "cores. Higher makes short waits quicker and burns the core; 0 always sleeps at once."},
    {"COMITY_CONTEXT_OPENMP", OptionKind::word, "", "place", "place|keep|leave",
     "What a push does about OpenMP teams, whatever a context asks for (comity_context_set_teams); where it is unset, "
     "libquo's contexts ask for keep. place gives each core a member of its own, in a region that starts those that "
     "there are not yet. keep starts none and gives cores to members that exist. leave only moves the masks, and the "
     "kernel may put two members on one core."},
    {"COMITY_CONTEXT_TEAM_AFTER_PHASE", OptionKind::word, "", "rest", "rest|spin",
     "What an OpenMP team does when its phase ends. rest frees the cores at once and starts the team anew at the next "
     "phase; with GNU's runtime its members are born again and lose their threadprivate data. spin leaves it to the "
     "runtime, whose idle members may burn the rank's core for a while."},
    {"COMITY_COOP", OptionKind::word, "", "off", "off|auto|on",
     "Whether ranks that have Comity's library preloaded sleep while they wait in MPI for another rank. on frees their "
     "cores for others and costs a call some nanoseconds; off leaves waits to the MPI, which spins; auto is on where "
     "the threads of a node's ranks outnumber its cores. `comity run` sets it. The same on all ranks of a job."},
    {"COMITY_COOP_SPREAD", OptionKind::word, "", "auto", "auto|on|off",
     "Where ranks run whose threads outnumber the cores of their node while waits are cooperative. auto gives those "
     "that are bound nowhere an equal share of the cores each, and what others leave while they wait for long; on does "
     "the same with ranks that Open MPI's launcher has bound by its default; off leaves all where they are. `comity "
     "run` sets on where its line asks for no binding."},
    {"COMITY_COOP_FAR_LATE_US", OptionKind::number, "us", "1000", "50..1000000",
     "How late at most a rank that sleeps in MPI sees a message of another node, which cannot ring it, where no "
     "descriptor tells of it. Lower is sooner and looks more often, which burns its core and slows who computes there; "
     "higher is quieter and later."},
    {"COMITY_COOP_FAR_BURN_PERCENT", OptionKind::number, "%", "2", "0..100",
     "How much of a core the ranks of a node together may burn in waits of 10 ms or more for another node, half of it "
     "in spins "
     "at their begin, half in looks: these come every 500 us or as rarely as that takes, but never later than "
     "COMITY_COOP_FAR_LATE_US. Higher "
     "spins longer, which makes short waits for other nodes quicker; lower leaves the core to others sooner."},
    {"COMITY_COOP_FAR_WATCH", OptionKind::word, "", "on", "on|off",
     "Whether a rank that waits for another node sleeps on the descriptors that the MPI asks about too, and looks "
     "behind them the more rarely the more they tell, every 10 ms at least, or COMITY_COOP_FAR_LATE_US where that is "
     "longer. on burns less and is told sooner; off looks as the two above say, for diagnosis. The same on all ranks "
     "of "
     "a job."},
    {"COMITY_METRICS", OptionKind::word, "", "off", "off|counts|on",
     "Whether ranks that have Comity's library preloaded print a table of their efficiencies at the end. on looks at "
     "the clock around each call of MPI; counts does not, which costs a call less, and tells calls and bytes alone. "
     "`comity run --metrics` sets on."},
    {"COMITY_METRICS_JSON", OptionKind::folder, "", "", "a file by its whole path, empty for none",
     "Where rank 0 writes the figures of that table as JSON, over a file that is there. It has each pair of ranks that "
     "exchanged messages, which rank 0 adds up at the end; empty writes none. `comity run --metrics-json FILE` sets "
     "it."},
    {"COMITY_REORDER", OptionKind::word, "", "off", "off|on",
     "Whether ranks that have Comity's library preloaded get communicators of grids and graphs in an order that fits "
     "the machine, where they allow MPI to reorder. on costs some milliseconds where such a communicator is made, more "
     "for large jobs; off leaves it to the MPI, which as a rule keeps the order. `comity run --reorder` sets on."},
    {"COMITY_RECORD_DIRECTORY", OptionKind::folder, "", "", "a folder by its whole path, empty for none",
     "Where ranks that have Comity's library preloaded leave the record of the run. A record costs each rank a file of "
     "COMITY_RECORD_BUDGET_KB. `comity run --record DIR` sets it."},
    {"COMITY_RECORD_BUDGET_KB", OptionKind::number, "KB", "4096", "64..1048576",
     "How large the record of one rank may grow. Larger keeps more moments apart and costs disk and memory; smaller "
     "merges neighbours earlier, keeping their minimum, maximum and last value."},
    {"COMITY_RECORD_LAUNCHER", OptionKind::text, "", "", "a command, its signs written as @ and two digits",
     "What the record says the run was started with. `comity run --record` sets it, for a rank on another host than "
     "the "
     "launcher cannot see the launcher's line; empty lets each rank look among its parents."},
    {"COMITY_MEMORY", OptionKind::word, "", "off", "off|on|delta|delta-pss",
     "Whether ranks that have Comity's library preloaded tell whose their memory is: a table at the end, and in the "
     "record. Who asked for which memory is known where libcomity_memory.so is preloaded too, which adds some ten "
     "nanoseconds to each block. `comity run --memory` does both. delta tells beside that what changed during calls of "
     "MPI, the rule of older tools, which costs each call some microseconds; delta-pss adds up shares of all mappings "
     "as "
     "they did, which costs each call milliseconds."},
    {"COMITY_MEMORY_RULES", OptionKind::folder, "", "", "a file by its whole path, empty for none",
     "Rules that say whose memory it is, before the built-in ones: `component = glob` a line, as in `solver = "
     "libsolver*.so*`. More rules tell parts of a program apart; none leaves all of them to the application."},
    {"COMITY_MEMORY_PATHS", OptionKind::word, "", "off", "off|on",
     "Whether memory is told by call path too, the functions that asked for it and those that called them, where "
     "COMITY_MEMORY is on. Each block then costs a microsecond or two more. `comity run --memory --paths` sets it."},
    {"COMITY_MEMORY_TOUCHES", OptionKind::word, "", "off", "off|on",
     "Whether page faults tell who has touched memory first, beside who asked for it, where COMITY_MEMORY is on and "
     "the "
     "kernel lets perf_event_open. Each fault then costs part of a microsecond more. `comity run --memory --touches` "
     "sets it."},
    {"COMITY_MEMORY_VARIABLES", OptionKind::word, "", "off", "off|on",
     "Whether what the MPI itself says of its memory (performance variables of MPI_T) is told too, where COMITY_MEMORY "
     "is on. An MPI may load all its plugins for it, some tenths of a second a rank; no other figure depends on it. "
     "`comity run --memory --variables` sets it."},
    {"COMITY_SCHED_SCHEDULER", OptionKind::word, "", "stealing", "stealing|round-robin",
     "How tasks and fibers of a program that starts harts (comity_sched_start) get to them, where the program itself "
     "does "
     "not say. stealing costs least, and runs the newest first; round-robin gives each a stack of its own and runs "
     "them "
     "in their order, which costs more and is fair."},
    {"COMITY_PLACE_DIAGONAL", OptionKind::number, "weight", "0", "0..1000000000",
     "What ranks exchange that touch at an edge or a corner of a grid alone, for orders found inside programs "
     "(comity_place_grid, comity_place_cart_create, `comity run --reorder`); 0: nothing. Where neighbours exchange 1, "
     "a "
     "higher value keeps corners together and is closer to stencils with diagonals; finding the order takes longer "
     "then. Rank 0's counts."},
    {"COMITY_PLACE_COSTS", OptionKind::text, "", "", "LEVEL=NUMBER,.. as in node=10,package=3",
     "What crossing a level costs, for orders found inside programs by COMITY_PLACE_TIME: node, package, numa, l3 and "
     "l2, as `comity place --measure` has them. A level that is not named costs a tenth of the one before it. A higher "
     "cost keeps more exchanges inside that level, at the price of others. Rank 0's counts."},
}};

// What a process runs with. Invariant: every value is inside its row's range.
class Options {
 public:
  using Lookup = std::function<std::optional<std::string>(std::string_view name)>;

  Options() : Options([](std::string_view) { return std::nullopt; }) {}
  explicit Options(const Lookup& lookup);  // throws Status::option naming variable, value and range

  [[nodiscard]] const std::string& text(OptionId id) const { return values_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::int64_t number(OptionId id) const;
  [[nodiscard]] bool is_set(OptionId id) const { return set_[static_cast<std::size_t>(id)]; }

 private:
  std::array<std::string, kOptionTable.size()> values_;
  std::array<bool, kOptionTable.size()> set_{};
};

struct UnknownName {
  std::string name;
  std::string_view nearest;  // empty: nothing is near
};

inline constexpr std::string_view kOptionPrefix = "COMITY_";

// Those of `names` that start with the prefix and stand in no row.
[[nodiscard]] std::vector<UnknownName> unknown_options(const std::vector<std::string>& names);

}  // namespace comity
