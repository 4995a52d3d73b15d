// SPDX-License-Identifier: BSD-3-Clause
#include "preload/recorder.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "memory/rank/shortening.hpp"
#include "metrics/shortening.hpp"
#include "metrics/snapshot.hpp"
#include "os/environment.hpp"
#include "os/kernel.hpp"
#include "os/memory/own_memory.hpp"
#include "record/merge/names.hpp"
#include "record/places.hpp"

namespace comity::preload {
namespace {

std::string scratch_folder() { return os::environment("TMPDIR").value_or("/tmp"); }

bool is_first_of_its_node(const RecordPlan& plan) {
  const auto first = std::find(plan.node_of_rank.begin(), plan.node_of_rank.end(), plan.who.node);
  return static_cast<std::uint32_t>(first - plan.node_of_rank.begin()) == plan.who.rank;
}

bool is_one_of(const auto& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Those first that must not be lost.
std::vector<const record::Table*> in_order(const record::Content& content) {
  std::vector<const record::Table*> tables;
  for (const char* name : memory::kPutFirst) {
    if (const auto found = content.tables.find(name); found != content.tables.end()) tables.push_back(&found->second);
  }
  for (const auto& [name, table] : content.tables) {
    if (!is_one_of(memory::kPutFirst, name)) tables.push_back(&table);
  }
  return tables;
}

std::vector<const char*> names_short_first() {
  std::vector<const char*> names(memory::kShortBeforeMetrics.begin(), memory::kShortBeforeMetrics.end());
  names.insert(names.end(), {metrics::kCallsTable, metrics::kPeersTable, metrics::kTeamPlacesTable,
                             metrics::kOpenMpTable, metrics::kRegionsTable});
  names.insert(names.end(), memory::kShortAfterMetrics.begin(), memory::kShortAfterMetrics.end());
  return names;
}

record::Table in_short(const record::Table& table) {
  if (std::optional<record::Table> of_memory = memory::shortened(table)) return *std::move(of_memory);
  return metrics::shortened(table).value_or(table);
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

bool Recorder::put(record::Content content, record::Content beside) {
  if (!writer_) return true;
  content.facts.merge(beside.facts);
  content.tables.merge(beside.tables);
  bool has_room = true;
  for (const auto& [key, value] : content.facts) has_room = writer_->set_fact(key, value) && has_room;
  for (const record::Table* table : in_order(content)) has_room = put_table(content, *table) && has_room;
  return has_room;
}

bool Recorder::put_table(const record::Content& content, const record::Table& table) {
  bool has_room = put_in_its_form(table);
  for (const char* name : names_short_first()) {
    const auto other = content.tables.find(name);
    if (has_room || other == content.tables.end() || !short_.insert(name).second) continue;
    (void)put_in_its_form(other->second);
    tell_of_memory_in_short();
    has_room = put_in_its_form(table);
  }
  return has_room || put_instead_of_others(content, table);
}

bool Recorder::put_instead_of_others(const record::Content& content, const record::Table& table) {
  if (!is_one_of(memory::kPutFirst, table.name()) && !is_one_of(memory::kLeftOutFirst, table.name())) return false;
  for (const char* name : memory::kLeftOutFirst) {
    if (name == table.name()) return put_least_of(table);
    const auto other = content.tables.find(name);
    if (other == content.tables.end() || !left_out_.insert(name).second) continue;
    (void)put_in_its_form(other->second);
    tell_of_memory_in_short();
    if (put_in_its_form(table)) return true;
  }
  return false;
}

// Where not even its short form has room an older one would stay, which lacks what has come since.
bool Recorder::put_least_of(const record::Table& table) {
  const record::Table least = memory::left_out(table);
  if (least.rows() == 0) return false;
  left_out_.insert(table.name());
  tell_of_memory_in_short();
  return writer_->put_table(least);
}

bool Recorder::put_in_its_form(const record::Table& table) {
  if (left_out_.contains(table.name())) {
    return writer_->put_table(memory::left_out(table));
  }
  return writer_->put_table(short_.contains(table.name()) ? in_short(table) : table);
}

// Of metrics the tables themselves say so.
void Recorder::tell_of_memory_in_short() {
  std::string words;
  std::set<std::string> all = short_;
  all.insert(left_out_.begin(), left_out_.end());
  for (const std::string& name : all) {
    if (!name.starts_with(memory::kTablePrefix)) continue;
    words.append(words.empty() ? "" : " ").append(name.substr(memory::kTablePrefix.size()));
  }
  if (!words.empty()) (void)writer_->set_fact(memory::kShortFact, words);
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
  os::give_back_free_memory();  // merging took a few times the budget, which malloc would keep
}

}  // namespace comity::preload
