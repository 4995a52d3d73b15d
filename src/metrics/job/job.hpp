// SPDX-License-Identifier: BSD-3-Clause
// Job: the figures of all ranks together, by region and by function. Not: how they come together (job_sums), how they are shown
// (text, json).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "metrics/job/efficiency.hpp"

namespace comity::metrics {

enum class OpenMp : std::uint8_t { absent, silent, told };

// Parallel regions of OpenMP, as main threads meet them outside of any other.
struct TeamFigures {
  std::int64_t teams = 0;  // of the rank with most
  double inside_s = 0;     // of all ranks' main threads
  double outside_s = 0;
  double thread_s = 0;   // of all threads of the teams
  int largest_team = 0;  // of any rank

  [[nodiscard]] double mean_team() const { return inside_s > 0 ? thread_s / inside_s : 0; }
};

// Parallel regions that begin at one place of the program, of all ranks' main threads. Where the runtime does not tell when threads
// wait, or a team is too wide, what needs that is none.
struct TeamPlaceFigures {
  std::string place;  // "program+0x1234 (function+0x10)"
  std::int64_t count = 0;
  int ranks = 0;        // that were there
  double wall_s = 0;    // of all ranks, summed up
  double thread_s = 0;  // times the threads of each team
  int largest_team = 0;
  double measured_s = 0;  // of thread_s, where each thread was told
  double working_s = 0;   // of all threads, outside barriers
  double busiest_s = 0;   // of the thread that worked longest in each, times the threads

  [[nodiscard]] double mean_team() const { return wall_s > 0 ? thread_s / wall_s : 0; }
  [[nodiscard]] std::optional<double> parallel() const { return part(working_s, measured_s); }
  [[nodiscard]] std::optional<double> load_balance() const { return part(working_s, busiest_s); }
  [[nodiscard]] std::optional<double> fork_join() const { return part(busiest_s, measured_s); }

 private:
  [[nodiscard]] static std::optional<double> part(double of, double whole) {
    return whole > 0 ? std::optional<double>(std::clamp(of / whole, 0.0, 1.0)) : std::nullopt;
  }
};

// Who waited longest and who shortest, of those that were there.
struct Wait {
  double most_s = 0;
  int most_rank = 0;
  double least_s = 0;
  int least_rank = 0;
};

struct RegionFigures {
  std::string path;          // "(run)": what is in no region
  std::int64_t visits = 0;   // of the rank with most
  double wall_s = 0;         // of the rank that was in it longest
  double wall_sum_s = 0;     // of all ranks
  double useful_s = 0;       // of all ranks' threads
  double useful_cores = 0;   // how many processors computed, on the average
  double computation_s = 0;  // of all ranks' main threads, outside MPI on a processor
  double mpi_s = 0;          // of all ranks' main threads
  double asleep_s = 0;       // the same, off the processor outside MPI
  int ranks = 0;             // that were in it
  Wait in_mpi;               // of their main threads
  Wait asleep;               // the same, off the processor outside MPI
  int resting = 0;           // ranks whose main thread was asleep for half of its time there, or more
  TeamFigures teams;
  Efficiency efficiency;
};

struct FunctionFigures {
  std::string function;
  std::string region;
  std::int64_t calls = 0;
  std::int64_t failed = 0;
  std::int64_t spinning = 0;  // of ranks that would spin if they waited there
  double time_s = 0;          // of all ranks
  double longest_s = 0;       // one call
  int longest_rank = 0;
  double sent_bytes = 0;
  double received_bytes = 0;
};

struct RankFigures {
  int rank = 0;
  int node = 0;
  double wall_s = 0;
  double useful_s = 0;
  double computation_s = 0;     // of its main thread, outside MPI on a processor
  double mpi_s = 0;             // of its main thread
  double others_mpi_s = 0;      // of all other threads, summed up, awake or not
  double others_mpi_cpu_s = 0;  // what of that they were on a processor
  double asleep_s = 0;
  double sent_bytes = 0;  // to ranks one by one: point to point, one-sided and to neighbours
  double received_bytes = 0;
  RankEfficiency efficiency;
};

struct NodeFigures {
  int node = 0;
  std::string host;
  int ranks = 0;
  int first_rank = 0;
  int processors = 0;
  double wall_s = 0;  // of its ranks, summed up, as what follows
  double useful_s = 0;
  double computation_s = 0;
  double mpi_s = 0;
  double asleep_s = 0;
  Efficiency efficiency;  // of its processors, over the job's time
};

// Point to point, one-sided, and shares of collective calls among neighbours, as each side has seen it. A peer that is not told apart from others is -3.
struct MessageFigures {
  int from = 0;
  int to = 0;
  std::int64_t sends = 0, sent_bytes = 0;         // of `from`
  std::int64_t receives = 0, received_bytes = 0;  // of `to`
  std::int64_t puts = 0, put_bytes = 0;           // of `from`
  std::int64_t gets = 0, got_bytes = 0;           // of `to`
};

// Where calls were timed; docs/metrics.md says what they mean.
struct FlightFigures {
  std::int64_t injections = 0;      // of all ranks
  std::int64_t most_in_flight = 0;  // of the rank with most
  int most_rank = 0;
  double longest_gap_s = 0;  // between two injections of one rank
  int gap_rank = 0;
  std::string gap_region;
};

// In one stretch of the run, of all ranks that have told something.
struct FlightStretch {
  double begin_s = 0;  // since the begin of the first one
  double end_s = 0;
  std::int64_t most_in_flight = 0;  // of the rank with most
  int most_rank = 0;
  double longest_gap_s = 0;  // that ended then; 0: none did
  int gap_rank = 0;
};

struct ThreadFigures {
  std::string asked, provided, needed, verdict;  // of the rank that needs most
  int calling = 0;                               // threads that call MPI, on the rank with most
};

// What ranks have not told, for their records had no room or their processes were killed.
enum class Lack : std::uint8_t {
  missing,  // the table is not there
  older,    // it is there as it was some time before the end
  shorter,  // its sums are there, without what they were by region or by peer
};
struct Untold {
  std::string table;
  Lack lack = Lack::missing;
  int ranks = 0;
  int first_rank = 0;
};

struct Job {
  bool timed = false;             // every call of every rank
  std::vector<int> counted_only;  // the ranks of which calls were counted and not timed
  int nodes = 0;
  int processors = 0;
  double wall_s = 0;    // of the rank with most
  double useful_s = 0;  // of all ranks, as what follows
  double computation_s = 0;
  double mpi_s = 0;  // of their main threads
  double asleep_s = 0;
  double paused_s = 0;  // left out of all figures, of the rank with most
  Efficiency efficiency;
  std::vector<RankFigures> ranks;
  std::vector<NodeFigures> per_node;
  std::vector<RegionFigures> regions;            // longest first; the run as a whole is not among them
  std::vector<TeamPlaceFigures> openmp_regions;  // longest first
  std::vector<FunctionFigures> functions;  // of all regions, most time first (most calls, where calls are not timed)
  std::vector<MessageFigures> messages;    // by from, then by to
  std::optional<FlightFigures> flight;
  std::vector<FlightStretch> flight_over_time;  // where samples of a record were read
  ThreadFigures threads;
  OpenMp openmp = OpenMp::absent;  // whether regions' teams are told
  bool waits_asleep =
      false;  // of a rank at least: it sleeps where it waits in MPI, but for calls that count as spinning
  std::vector<Untold> untold;  // by table

  // A figure that needs the time of each call: efficiencies, times in MPI, and what is left of others' when those are taken away.
  template <typename Figure>
  [[nodiscard]] std::optional<Figure> if_timed(const Figure& figure) const {
    return timed ? std::optional<Figure>(figure) : std::nullopt;
  }
};

}  // namespace comity::metrics
