// SPDX-License-Identifier: BSD-3-Clause
// `comity report`: what a record says of its run. Not: the judgement (metrics), the record itself (record).
#include "cli/report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/json_text.hpp"
#include "cli/common/text_file.hpp"
#include "cli/memory/places.hpp"
#include "cli/memory/runs.hpp"
#include "cli/report/memory_picture.hpp"
#include "cli/report/messages_picture.hpp"
#include "cli/report/older.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/rows.hpp"
#include "memory/job/job.hpp"
#include "memory/job/nodes.hpp"
#include "metrics/job/comparison.hpp"
#include "metrics/job/text.hpp"

namespace comity::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kExamples{
    Example{"comity report out", "the run that `comity run --record out` left"},
    Example{"comity report out --json | jq .metrics.efficiency", "for scripts"},
    Example{"comity report out --against before", "what differs from an earlier run, region by region"},
    Example{"comity report out --svg memory.svg", "the memory of its ranks over time, of a run with --memory"},
    Example{"comity report out --svg-messages messages.svg", "who sent how much to whom, a square a rank and rank"},
    Example{"comity report out --csv > calls.csv", "a line a function and region, for a spreadsheet"},
    Example{"comity report out --csv=messages > edges.csv", "who sent how much to whom, as the edges of a graph"},
};

constexpr Manual kManual{
    "report", "DIR",
    "Tell what the record in DIR says of its run: what to look at first, how well processors were used, by region of "
    "the program and by function of MPI, who waited where, and which level of threads it needed; and, of a run with "
    "--memory, whose the memory of its ranks was. The record of a "
    "killed job is put together "
    "first, from what its ranks left on this host. In its place may stand a file that memnesia or mpimemu has "
    "written.\n"
    "The exit code is 0 if there was a record to tell of, and 1 if some of it is damaged, or figures of memory cannot "
    "be: then lines on "
    "standard error tell of which ranks, and all that can be read is shown.",
    kExamples};

Json json_of(const Reading& reading) {
  Json all = {{"run", reading.json()},
              {"metrics", reading.has_metrics() ? metrics::json_of(reading.job()) : Json(nullptr)}};
  if (!reading.memory().ranks.empty()) all["memory"] = memory::json_of(reading.memory(), reading.together());
  return all;
}

std::string csv_of(const Reading& reading, const std::string& table) {
  if (!table.starts_with(kMemoryTable)) return rows_of(reading.job(), table);
  if (reading.memory().ranks.empty()) {
    throw Error(Status::not_found,
                "this record does not tell whose the memory was; make one with comity run --memory "
                "--record DIR");
  }
  if (table == kMemoryNodesTable) return memory::node_rows_of(reading.memory());
  if (table == kMemorySumsTable) return memory::last_total_rows_of(reading.memory());
  if (table == kMemoryMomentsTable) return memory::moment_rows_of(reading.memory());
  if (table == kMemoryNumaTable) return memory::numa_rows_of(reading.memory());
  if (table == kMemorySegmentsTable) return memory::segment_rows_of(reading.memory());
  if (table == kMemorySeriesTable) return memory::series_rows_of(reading.together());
  if (table == kMemoryStatisticsTable) return memory::statistics_rows_of(reading.memory());
  if (table == kMemoryGrowthTable) return memory::growth_rows_of(reading.memory());
  if (table == kMemoryRegionsTable) return memory::region_rows_of(reading.memory());
  if (table == kMemoryBordersTable) return memory::border_rows_of(reading.memory());
  if (table == kMemoryHeldTable) return memory::held_rows_of(reading.memory());
  if (table == kMemoryPathsTable) return memory::path_rows_of(reading.memory());
  if (table == kMemoryTouchesTable) return memory::touch_rows_of(reading.memory());
  if (table == kMemoryDeltaTable) return memory::delta_rows_of(reading.memory());
  if (table == kMemoryVariablesTable) return memory::variable_rows_of(reading.memory());
  if (table == kMemoryObjectsTable) return memory::object_rows_of(reading.memory());
  return memory::rows_of(reading.memory());
}

Json json_of(const Reading& reading, const Reading* there) {
  Json all = json_of(reading);
  if (there == nullptr) return all;
  all["against"] = json_of(*there);
  all["comparison"] = metrics::json_of(metrics::compare(reading.job(), there->job()));
  return all;
}

std::string metrics_of(const Reading& reading) {
  return reading.has_metrics() ? metrics::text_of(reading.job()) : "metrics: none of any rank can be read\n";
}

std::string compared(const Reading& reading, const Reading& there, const std::string& other) {
  return "here\n" + reading.head() + "there\n" + there.head() +
         metrics::text_of(metrics::compare(reading.job(), there.job()), other);
}

Answer answer_for(bool json, const std::string& rows, const std::string& messages_picture) {
  if (json) return Answer::json;
  if (!messages_picture.empty()) return Answer::messages;
  if (rows == kFlightTable) return Answer::flight;
  return rows == kMessagesTable ? Answer::messages : Answer::text;
}

// What of memory over time an answer tells.
OverTime over_time_of(bool json, const std::string& rows, const std::string& other, const std::string& picture) {
  if (!picture.empty()) return OverTime::each;
  const bool is_page = rows.empty() && other.empty();
  return json || is_page || rows == kMemorySeriesTable || rows == kMemoryDeltaTable ? OverTime::together
                                                                                    : OverTime::untold;
}

}  // namespace

int report_command(std::span<const std::string> words) {
  bool json = false;
  std::string rows;
  std::string folder;
  std::string other;
  std::string picture;
  std::string messages_picture;
  Arguments arguments(kManual);
  arguments.add_json_flag(json);
  arguments.options().add_flag(
      "--csv{calls}", rows,
      "print one table as comma-separated values instead of text; --csv=TABLE chooses which: calls (a line a function "
      "and region), regions, openmp (a line a place with a parallel region), ranks, nodes, messages (a line for each "
      "two ranks that exchanged some), flight (a line a stretch of the run: the most calls in flight and the longest "
      "gap "
      "between injections, each with its rank), memory (a line a rank and component), memory-nodes (a line a node and "
      "component), memory-sums (what ranks of each node, and all, had at the end in all: RSS, PSS, USS, swapped, "
      "locked, virtual), memory-moments (a component of a rank each time that all pages were looked at: RSS, PSS, USS, "
      "shared, swapped, locked and more), memory-numa (on which NUMA nodes a component lies, and whether threads of "
      "its rank may run there), memory-segments (what ranks of a node share), memory-series (what all ranks "
      "had together over the run, and those of each node, a line a moment, node and component), memory-statistics "
      "(which rank had most and least of a component, where and when), memory-growth (behind which functions and in "
      "which regions it grew), memory-regions (what a rank had at borders of a region), memory-borders (each look "
      "there, by time), memory-held (which places of code have not given it back), memory-paths (which call "
      "paths asked for it, of a run with --paths), memory-touches (who has touched it first, of a run with "
      "--touches), memory-variables (what the MPI says of its own, of a run with --variables), memory-delta (what the "
      "rule of older tools gave over time, with a mark where that cannot be, of a run with --method delta or "
      "delta-pss), or memory-objects (of "
      "MPI, a line a kind and place that made some)");
  arguments.options()
      .add_option("--against", other,
                  "compare with the run whose record is in this folder: times, processors and waits by region")
      ->type_name("DIR");
  arguments.options()
      .add_option(
          "--svg", picture,
          "also draw there how much memory ranks had over time, MPI's and all, each rank's and their sum, of a run "
          "with --memory")
      ->type_name("FILE");
  arguments.options()
      .add_option("--svg-messages", messages_picture,
                  "also draw there how much each rank sent to each other one, a square a rank and rank")
      ->type_name("FILE");
  arguments.options().add_option("DIR", folder, "the folder that `comity run --record DIR` has filled");
  if (arguments.parse(words) == Next::stop) return kGood;
  if (folder.empty()) throw UsageError("report needs the folder of a record: comity report DIR");
  const bool as_csv = !rows.empty();
  if (json && as_csv) throw UsageError("--json and --csv are two forms of the same figures: choose one");
  if (as_csv && !other.empty())
    throw UsageError("--csv tells of one record: leave out --against, or print both with --json");
  if (as_csv && std::find(kRowTables.begin(), kRowTables.end(), rows) == kRowTables.end()) {
    throw UsageError("there is no --csv=" + rows + hint(rows, kRowTables));
  }
  if (!messages_picture.empty() && rows == kFlightTable)
    throw UsageError(
        "--csv=flight reads what happened over time, and --svg-messages who sent to whom: ask for one of them");
  if (kind_of_run(folder) == RunKind::mpimemu) {
    if (as_csv || !other.empty() || !picture.empty() || !messages_picture.empty())
      throw UsageError(
          "a file of mpimemu, which tells means over ranks alone, is told as text or --json; memory scaling has it as "
          "--csv and draws it beside others");
    if (!json) std::fputs("what mpimemu has told of a run, which is means over its ranks:\n", stdout);
    SideBySide alone;
    alone.form = json ? RunsForm::json : RunsForm::text;
    return show_side_by_side(std::span(&folder, 1), alone);
  }
  if (kind_of_run(folder) == RunKind::memnesia) {
    if (as_csv || !other.empty() || !messages_picture.empty())
      throw UsageError(
          "a file of memnesia is told as text or --json, and drawn by --svg; memory scaling has it as --csv");
    return report_older(folder, json, picture);
  }
  const Answer answer = answer_for(json, rows, messages_picture);
  const Reading reading(folder, answer, over_time_of(json, rows, other, picture));
  std::optional<Reading> there;
  if (!other.empty()) there.emplace(other, answer, json ? OverTime::together : OverTime::untold);
  if (!picture.empty()) write_text_file(picture, memory_svg(reading.timelines(), folder), "the picture", "--svg");
  if (!messages_picture.empty())
    write_text_file(messages_picture, messages_svg(reading.job(), folder), "the picture", "--svg-messages");
  std::string text;
  if (json) {
    text = json_text(json_of(reading, there ? &*there : nullptr));
  } else if (there) {
    text = compared(reading, *there, other);
  } else {
    text = as_csv ? csv_of(reading, rows)
                  : reading.head() + memory::page_of(reading.memory(), reading.together()) + metrics_of(reading);
  }
  std::fputs((json ? text : visible_lines(text)).c_str(), stdout);
  return reading.is_sound() && (!there || there->is_sound()) ? kGood : kFindings;
}

}  // namespace comity::cli
