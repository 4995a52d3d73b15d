// SPDX-License-Identifier: BSD-3-Clause
// Snapshot: what a rank's collector knows now, as the facts and tables of a record. Names of tables and columns:
// docs/metrics.md.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/cpu_set.hpp"
#include "interpose/event.hpp"
#include "metrics/rank/collector.hpp"
#include "record/format/content.hpp"

namespace comity::metrics {

// Where a rank runs, and how it waits in MPI.
struct Place {
  int rank = 0;      // in MPI_COMM_WORLD
  int node = 0;      // nodes are numbered by their lowest ranks
  std::string host;  // that node's name
  CpuSet binding;    // what its main thread may use
  CpuSet node_cpus;  // what its processes may use, all together
  bool waits_asleep = false;
  bool (*spins_in)(std::string_view function) = nullptr;  // whether it spins where it waits in that one; null: in none
};

inline constexpr const char* kRegionsTable = "metrics.regions";
inline constexpr const char* kCallsTable = "metrics.calls";
inline constexpr const char* kPeersTable = "metrics.peers";
inline constexpr const char* kOpenMpTable = "metrics.openmp";
inline constexpr const char* kTeamPlacesTable = "metrics.openmp_regions";  // where a runtime tells of them
inline constexpr const char* kNodesTable = "metrics.nodes";  // a rank's part of its node, where calls are timed

// Whether the rank sleeps where it waits in MPI, but for calls that count as spinning.
inline constexpr const char* kWaitsFact = "waits";
inline constexpr const char* kWaitsAsleep = "asleep";
inline constexpr const char* kWaitsSpinning = "spinning";

// Of the fact "openmp": whether parallel regions are told.
inline constexpr const char* kOpenMpAbsent = "absent";
inline constexpr const char* kOpenMpSilent = "not told";
inline constexpr const char* kOpenMpTold = "told";
inline constexpr const char* kFlightTable = "metrics.flight";  // where calls are timed

// Series of a record, a sample a tenth of a second.
inline constexpr const char* kInFlightSeries = "calls_in_flight";
inline constexpr const char* kGapSeries = "longest_injection_gap_ns";

// Whether a rank's record holds one, its facts and the times of its regions at the least: a rank may be killed before its
// first one is written.
[[nodiscard]] bool holds_snapshot(const record::Content& content);

[[nodiscard]] record::Content snapshot(const Collector& collector, std::span<const interpose::Facts> functions,
                                       const Place& place);

}  // namespace comity::metrics
