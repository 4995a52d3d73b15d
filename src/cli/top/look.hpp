// SPDX-License-Identifier: BSD-3-Clause
// Look: the ranks of this node at one moment: what each says of itself on its live page, and the kernel of its process. Watch:
// one look after another, for the use of processors is what lies between two. Not: how it is shown (table).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/top/activity.hpp"
#include "live/search.hpp"

namespace comity::cli {

enum class Doing : std::uint8_t { computing, in_mpi, asleep, blocked, stopped };

struct ThreadLook {
  ThreadActivity activity;
  Doing doing = Doing::asleep;
  std::string call;                 // the function of MPI that it is in; empty: none
  std::optional<double> call_s;     // for how long; none: in no call, or calls are not timed
  std::string region;               // empty: none
  std::optional<double> cpu_share;  // of the time since the look before, 1: a whole processor; none: the first look
};

struct RankLook {
  pid_t process = 0;
  live::Phase phase = live::Phase::before_init;
  std::optional<int> rank;  // before MPI_Init as the launcher told it, if it did
  std::string command;
  std::uint64_t memory_bytes = 0;
  std::optional<double> cpu_share;  // of all threads
  std::uint32_t untold_threads = 0;
  std::vector<ThreadLook> threads;  // at least one
  std::size_t main = 0;             // MPI's main thread among them

  [[nodiscard]] const ThreadLook& main_thread() const { return threads[main]; }
  // Of the rank: in MPI where its main thread is; computing where any thread does, in no call.
  [[nodiscard]] Doing doing() const;
};

struct JobLook {
  std::uint64_t job = 0;    // 0: ranks that have not begun MPI
  std::uint32_t ranks = 0;  // of the whole job, also on other nodes; 0: not known
  std::string mpi;
  std::vector<RankLook> here;  // by rank, then process
};

struct Look {
  std::string host;
  std::vector<JobLook> jobs;  // by their lowest process
  std::vector<live::Unreadable> unreadable;
  std::size_t refused = 0;
};

class Watch {
 public:
  [[nodiscard]] Look look();

 private:
  [[nodiscard]] std::optional<RankLook> rank_of(const live::Shown& shown, std::int64_t now_ns);
  [[nodiscard]] double cpu_share(const ThreadActivity& thread, std::int64_t now_ns) const;

  live::Search search_;
  std::int64_t before_ns_ = 0;                // the look before; 0: none
  std::map<pid_t, std::int64_t> cpu_before_;  // processor time then, by thread
  std::map<pid_t, std::int64_t> cpu_now_;
};

// What is left of a look: the job of this process or of those below it; only this process.
[[nodiscard]] Look only_job(Look look, pid_t process);
[[nodiscard]] Look only_process(Look look, pid_t process);

}  // namespace comity::cli
