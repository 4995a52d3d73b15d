// SPDX-License-Identifier: BSD-3-Clause
#include "preload/recorder.hpp"

#include <algorithm>
#include <array>
#include <exception>

#include "base/error.hpp"
#include "base/log.hpp"
#include "metrics/shortening.hpp"
#include "metrics/snapshot.hpp"
#include "os/environment.hpp"
#include "os/kernel.hpp"
#include "record/merge/names.hpp"
#include "record/places.hpp"

namespace comity::preload {
namespace {

std::string scratch_folder() { return os::environment("TMPDIR").value_or("/tmp"); }

bool is_first_of_its_node(const RecordPlan& plan) {
  const auto first = std::find(plan.node_of_rank.begin(), plan.node_of_rank.end(), plan.who.node);
  return static_cast<std::uint32_t>(first - plan.node_of_rank.begin()) == plan.who.rank;
}

void say(const std::string& problem) {
  log::error("record", problem + ". The program runs on; this rank leaves no record");
}

}  // namespace

// The first of each node claims the folder, and only then does anybody make a file: where one is refused nobody records.
Recorder::Recorder(const RecordPlan& plan, MpiExchange& exchange) : plan_(plan) {
  const std::string job_folder = record::job_folder_path(scratch_folder(), plan.job);
  const bool claims = is_first_of_its_node(plan);
  bool refused = false;
  try {
    if (claims) {
      record::claim(plan.folder, {.job = plan.job,
                                  .node = plan.who.node,
                                  .job_ranks = plan.who.ranks,
                                  .host = os::host_name(),
                                  .boot = os::boot_id(),
                                  .folder = job_folder});
    }
  } catch (const Error& error) {
    say(error.what());
    refused = true;
  }
  const std::vector<std::uint64_t> all = exchange.all_of(refused ? 1 : 0);
  if (std::find(all.begin(), all.end(), 1U) != all.end()) {
    if (claims && !refused) os::Folder(plan.folder).remove(record::node_file_name(plan.who.node));
    return;
  }
  try {
    writer_.emplace(record::make_job_folder(scratch_folder(), plan.job), plan.who, plan.budget_bytes);
    job_folder_ = job_folder;
  } catch (const Error& error) {
    say(error.what());
  }
}

void Recorder::put(const record::Content& content) {
  if (!writer_) return;
  for (const auto& [key, value] : content.facts) (void)writer_->set_fact(key, value);
  for (const auto& [name, table] : content.tables) put_table(content, table);
}

void Recorder::put_table(const record::Content& content, const record::Table& table) {
  constexpr std::array<const char*, 5> kShortFirst{metrics::kCallsTable, metrics::kPeersTable,
                                                   metrics::kTeamPlacesTable, metrics::kOpenMpTable,
                                                   metrics::kRegionsTable};
  bool has_room = put_in_its_form(table);
  for (const char* name : kShortFirst) {
    const auto other = content.tables.find(name);
    if (has_room || other == content.tables.end() || !short_.insert(name).second) continue;
    (void)put_in_its_form(other->second);
    has_room = put_in_its_form(table);
  }
}

bool Recorder::put_in_its_form(const record::Table& table) {
  if (!short_.contains(table.name())) return writer_->put_table(table);
  return writer_->put_table(metrics::shortened(table).value_or(table));
}

void Recorder::sample(const char* series, std::int64_t time_ns, double value) {
  if (writer_) writer_->sample(writer_->series(series), time_ns, value);
}

record::SpansRef Recorder::spans(const std::string& lane, const std::string& name) {
  return writer_ ? writer_->spans(lane, name) : record::SpansRef{};
}

void Recorder::span(record::SpansRef spans, std::int64_t begin_ns, std::int64_t end_ns) {
  if (writer_) writer_->span(spans, begin_ns, end_ns);
}

// The writer lives until all is merged: its lock tells readers that the job is still at work.
void Recorder::finish(MpiExchange& exchange) {
  if (writer_) {
    (void)writer_->set_fact(record::kEndFact, "MPI_Finalize");
    writer_->close();
  }
  const std::vector<std::uint64_t> all = exchange.all_of(writer_ ? 1 : 0);
  if (std::find(all.begin(), all.end(), 1U) == all.end()) return;
  (void)record::merge(exchange,
                      {plan_.node_of_rank, plan_.job, plan_.folder, job_folder_});  // says what went wrong itself
  writer_.reset();
}

}  // namespace comity::preload
