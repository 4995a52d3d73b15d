// SPDX-License-Identifier: BSD-3-Clause
// Loaded: what a rank recorded, as the structs of the header. Invariant: what they point to stands in this object and does not move.
#pragma once

#include <comity/record.h>

#include <vector>

#include "record/clock_map.hpp"
#include "record/run/run_reader.hpp"

namespace comity::capi::record {

namespace reading = comity::record;

[[nodiscard]] comity_record_entry entry_of(const reading::RankEntry& entry);

class Loaded {
 public:
  explicit Loaded(reading::RankBody body);
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  [[nodiscard]] const comity_record_rank& rank() const { return rank_; }
  [[nodiscard]] const reading::ClockMap& clock() const { return clock_; }

 private:
  struct Columns {
    std::vector<std::vector<const char*>> texts;  // of each text column
    std::vector<comity_record_column> columns;
  };

  void show_facts();
  void show_tables();
  void show_series();
  void show_spans();
  [[nodiscard]] static Columns columns_of(const reading::Table& table);

  reading::RankBody body_;  // samples and spans stand in the copies below alone
  reading::ClockMap clock_;
  std::vector<comity_record_fact> facts_;
  std::vector<Columns> columns_;  // of each table
  std::vector<comity_record_table> tables_;
  std::vector<std::vector<comity_record_sample>> samples_;
  std::vector<comity_record_series> series_;
  std::vector<std::vector<comity_record_span>> span_entries_;
  std::vector<comity_record_spans> spans_;
  comity_record_rank rank_{};
};

}  // namespace comity::capi::record
