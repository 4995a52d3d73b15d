// SPDX-License-Identifier: BSD-3-Clause
// Recorder: this rank's record, from the start of the run to its merge with the others'.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "preload/meeting/mpi_exchange.hpp"
#include "record/format/content.hpp"
#include "record/merge/merge.hpp"
#include "record/writer.hpp"

namespace comity::preload {

struct RecordPlan {
  std::string folder;  // the user's, by its whole path
  std::string job;     // the same on all ranks
  std::uint64_t budget_bytes = record::kDefaultBudget_bytes;
  record::Identity who;
  std::vector<std::uint32_t> node_of_rank;
};

class Recorder {
 public:
  // Collective. A rank that cannot record says so in one line and takes part in the rest all the same.
  Recorder(const RecordPlan& plan, MpiExchange& exchange);

  // What is known now: facts and tables, the last of each name counts. Tables without which a peak or a leak of memory would be lost
  // come first. Where room runs out, tables of both are put in short, those first that grow most, and stay so.
  // False: something found no room.
  bool put(record::Content content, record::Content beside = {});
  void sample(const char* series, std::int64_t time_ns, double value);
  [[nodiscard]] record::SpansRef spans(const std::string& lane, const std::string& name);
  void span(record::SpansRef spans, std::int64_t begin_ns, std::int64_t end_ns);
  // Collective: all ranks' records become one.
  void finish(MpiExchange& exchange);

 private:
  [[nodiscard]] bool put_table(const record::Content& content, const record::Table& table);
  [[nodiscard]] bool put_in_its_form(const record::Table& table);
  [[nodiscard]] bool put_least_of(const record::Table& table);
  [[nodiscard]] bool put_instead_of_others(const record::Content& content, const record::Table& table);
  void tell_of_memory_in_short();

  RecordPlan plan_;
  std::string job_folder_;
  std::optional<record::Writer> writer_;
  std::set<std::string> short_;     // tables that are put in short
  std::set<std::string> left_out_;  // tables of which only the names of columns are put
};

}  // namespace comity::preload
