// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory/runs.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/json_text.hpp"
#include "cli/common/screen.hpp"
#include "cli/common/text_file.hpp"
#include "cli/memory/places.hpp"
#include "cli/memory/runs_picture.hpp"
#include "cli/report/reading.hpp"
#include "memory/job/by_count.hpp"
#include "memory/job/comparison.hpp"
#include "memory/job/mpimemu.hpp"
#include "memory/job/older_tool.hpp"
#include "memory/job/scaling.hpp"
#include "record/merge/names.hpp"

namespace comity::cli {
namespace {

template <typename Parse>
auto of_text(const std::string& place, Parse&& parse) {
  constexpr std::size_t kMost_bytes = std::size_t{4} << 30U;
  try {
    return parse(read_text_file(place, "the run", "its name", kMost_bytes));
  } catch (const Error& error) {
    throw Error(error.status(), place + ": " + error.what());
  }
}

// A recorded run, or what an older tool has left of one.
class Run {
 public:
  explicit Run(std::string place, OverTime over_time = OverTime::untold) : place_(std::move(place)) {
    switch (kind_of_run(place_)) {
      case RunKind::memnesia:
        older_ = of_text(place_, &memory::job_of_older_tool);
        break;
      case RunKind::mpimemu:
        means_ = of_text(place_, [this](const std::string& text) { return memory::figures_of_mpimemu(text, place_); });
        break;
      case RunKind::record:
        reading_.emplace(place_, Answer::text, over_time);
        break;
    }
  }

  [[nodiscard]] const memory::Job& job() const {
    if (older_) return *older_;
    if (means_) {
      throw Error(Status::unsupported, place_ +
                                           " is of mpimemu, which tells no rank's figures: comity memory scaling "
                                           "sets it beside others");
    }
    if (!reading_->memory().ranks.empty()) return reading_->memory();
    throw Error(Status::not_found,
                "the record in " + place_ +
                    " does not tell whose the memory was; make one with comity run --memory --record DIR");
  }
  // "Open MPI v4.1.4, package: .." of the record, beside its figures.
  [[nodiscard]] memory::RunFigures figures() const {
    if (means_) return *means_;
    if (!reading_) return memory::figures_of(job(), place_, "");
    return memory::figures_of(job(), place_, reading_->fact(record::kMpiFact), reading_->together());
  }
  [[nodiscard]] bool is_whole() const { return !reading_ || reading_->is_whole(); }
  [[nodiscard]] nlohmann::ordered_json damaged_ranks() const {
    auto ranks = nlohmann::ordered_json::array();
    if (!reading_) return ranks;
    for (const Damage& one : reading_->damaged()) ranks.push_back(one.rank);
    return ranks;
  }
  // What stands above figures that do not hold all of a run.
  [[nodiscard]] std::string damage_line() const {
    if (is_whole()) return {};
    const std::string what = reading_->damaged().empty()
                                 ? "its index cannot be read, and ranks may be missing"
                                 : "of " + count_text(reading_->damaged().size(), "rank") + " figures may be missing";
    return "WARNING: the record in " + place_ + " is damaged: " + what + "\n";
  }

 private:
  std::string place_;
  std::optional<memory::Job> older_;
  std::optional<memory::RunFigures> means_;
  std::optional<Reading> reading_;
};

struct Runs {
  std::vector<memory::RunFigures> figures;
  std::vector<nlohmann::ordered_json> damaged;  // ranks of each
  std::string warnings;
  bool are_whole = true;
};

Runs read_runs(const std::vector<std::string>& places) {
  Runs runs;
  for (const std::string& place : runs_in(places)) {
    const Run run(place, OverTime::together);
    runs.are_whole = runs.are_whole && run.is_whole();
    runs.figures.push_back(run.figures());
    runs.damaged.push_back(run.damaged_ranks());
    runs.warnings += run.damage_line();
  }
  return runs;
}

// Of runs side by side what a picture shows: over their ranks.
memory::CountTable table_of(const Runs& runs, const Runs& base, const SideBySide& wished) {
  if (wished.over == RunsOver::ranks_a_node) return memory::over_ranks_a_node(runs.figures);
  if (wished.against.empty()) return memory::over_ranks(runs.figures);
  return memory::over_ranks_against(runs.figures, base.figures, wished.against_name);
}

}  // namespace

int show_side_by_side(std::span<const std::string> places, const SideBySide& wished) {
  const std::vector<std::string> all(places.begin(), places.end());
  if (all.empty()) throw UsageError("memory scaling needs the folders of records: comity memory scaling DIR DIR");
  const Runs runs = read_runs(all);
  const Runs base = read_runs(wished.against);
  const memory::CountTable table = table_of(runs, base, wished);
  if (!wished.picture.empty()) write_runs_picture(table, wished.picture);
  std::string text;
  if (wished.form == RunsForm::json) {
    nlohmann::ordered_json told =
        wished.over == RunsOver::runs ? memory::json_of(runs.figures) : memory::json_of(table);
    if (wished.over != RunsOver::runs) told["runs"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < runs.figures.size(); ++i) {
      if (wished.over != RunsOver::runs) told["runs"].push_back({{"run", runs.figures[i].name}});
      told["runs"][i]["damaged_ranks"] = runs.damaged[i];
    }
    text = json_text(told);
  } else if (wished.form == RunsForm::csv) {
    text = wished.over == RunsOver::runs ? memory::rows_of(runs.figures) : memory::rows_of(table);
  } else {
    text = base.warnings + runs.warnings +
           (wished.over == RunsOver::runs ? memory::text_of(runs.figures) : memory::text_of(table));
  }
  std::fputs((wished.form == RunsForm::json ? text : visible_lines(text)).c_str(), stdout);
  return runs.are_whole && base.are_whole ? kGood : kFindings;
}

int compare_runs(std::span<const std::string> folders, bool json) {
  if (folders.size() != 2) throw UsageError("memory diff needs the folders of two records: comity memory diff A B");
  const Run a(folders[0]);
  const Run b(folders[1]);
  const memory::Comparison comparison = memory::compare(a.job(), b.job());
  const ExitCode code = a.is_whole() && b.is_whole() ? kGood : kFindings;
  if (json) {
    nlohmann::ordered_json all = memory::json_of(comparison);
    all["damaged_ranks"] = {{"a", a.damaged_ranks()}, {"b", b.damaged_ranks()}};
    std::fputs(json_text(all).c_str(), stdout);
    return code;
  }
  const std::string text = a.damage_line() + b.damage_line() + "A: " + folders[0] + ", " +
                           count_text(comparison.ranks_a, "rank") + "\nB: " + folders[1] + ", " +
                           count_text(comparison.ranks_b, "rank") + "\n" + memory::text_of(comparison);
  std::fputs(visible_lines(text).c_str(), stdout);
  return code;
}

}  // namespace comity::cli
