// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory/runs.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/json_text.hpp"
#include "cli/common/screen.hpp"
#include "cli/common/text_file.hpp"
#include "cli/report/reading.hpp"
#include "memory/job/comparison.hpp"
#include "memory/job/older_tool.hpp"
#include "memory/job/scaling.hpp"
#include "record/merge/names.hpp"

namespace comity::cli {
namespace {

// A recorded run, or what an older tool has left of one.
class Run {
 public:
  explicit Run(std::string place) : place_(std::move(place)) {
    if (is_of_older_tool())
      older_ = older();
    else
      reading_.emplace(place_, Answer::text);
  }

  [[nodiscard]] const memory::Job& job() const {
    if (older_) return *older_;
    if (!reading_->memory().ranks.empty()) return reading_->memory();
    throw Error(Status::not_found,
                "the record in " + place_ +
                    " does not tell whose the memory was; make one with comity run --memory --record DIR");
  }
  // "Open MPI v4.1.4, package: .." of the record, beside its figures.
  [[nodiscard]] memory::RunFigures figures() const {
    return memory::figures_of(job(), place_, reading_ ? reading_->fact(record::kMpiFact) : "");
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
  [[nodiscard]] bool is_of_older_tool() const {
    std::error_code none;
    if (!std::filesystem::is_regular_file(place_, none)) return false;
    std::string line;
    std::getline(std::ifstream(place_), line);
    return memory::is_of_older_tool(line);
  }
  [[nodiscard]] memory::Job older() const {
    constexpr std::size_t kMost_bytes = std::size_t{4} << 30U;
    try {
      return memory::job_of_older_tool(read_text_file(place_, "the run", "its name", kMost_bytes));
    } catch (const Error& error) {
      throw Error(error.status(), place_ + ": " + error.what());
    }
  }

  std::string place_;
  std::optional<memory::Job> older_;
  std::optional<Reading> reading_;
};

}  // namespace

int show_side_by_side(std::span<const std::string> folders, bool json, bool csv) {
  if (folders.empty()) throw UsageError("memory scaling needs the folders of records: comity memory scaling DIR DIR");
  if (json && csv) throw UsageError("--json and --csv are two forms of the same figures: choose one");
  std::vector<memory::RunFigures> runs;
  auto damaged = nlohmann::ordered_json::array();
  std::string warnings;
  bool whole = true;
  for (const std::string& folder : folders) {
    const Run run(folder);
    whole = whole && run.is_whole();
    runs.push_back(run.figures());
    damaged.push_back(run.damaged_ranks());
    warnings += run.damage_line();
  }
  std::string text;
  if (json) {
    nlohmann::ordered_json all = memory::json_of(runs);
    for (std::size_t i = 0; i < runs.size(); ++i) all["runs"][i]["damaged_ranks"] = damaged[i];
    text = json_text(all);
  } else {
    text = csv ? memory::rows_of(runs) : warnings + memory::text_of(runs);
  }
  std::fputs((json ? text : visible_lines(text)).c_str(), stdout);
  return whole ? kGood : kFindings;
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
