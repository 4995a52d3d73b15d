// SPDX-License-Identifier: BSD-3-Clause
// Ranks as fork children, for tests without MPI:
//
//   const auto ends = run_ranks(4, [](ForkBootstrap& job) { ... EXPECT_EQ(...) ... });
//   EXPECT_TRUE(all_good(ends));
//
// A rank that dies or returns early makes the others' collective calls throw (Status::mpi); a watchdog kills
// what hangs. Call it while the test process has one thread.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "node/bootstrap.hpp"
#include "node/left_by_llvm.hpp"
#include "os/files/mapping.hpp"
#include "os/threads/futex.hpp"
#include "sanitizer.hpp"

namespace comity::testing {

inline constexpr int kMostRanks = 64;
inline constexpr std::size_t kBlockBytes = 8192;  // the most that one rank can give to one collective call

struct RankEnd {
  int exit_code = -1;  // 0 good, 1 an expectation failed, 2 an exception
  int signal = 0;      // that killed it, or 0
};

inline bool all_good(const std::vector<RankEnd>& ends) {
  return std::all_of(ends.begin(), ends.end(), [](const RankEnd& end) { return end.exit_code == 0; });
}

enum class PidNamespace { shared, own };

struct RunOptions {
  std::vector<int> host = {};  // of each rank: ranks of one host are candidates of each other; empty: one host
  std::function<void(int rank)> enter = {};  // runs in the rank first: unshare(2), prctl(2), ...
  PidNamespace pid_namespace = PidNamespace::shared;
  std::chrono::seconds watchdog{kHasSanitizer ? 170 : 100};  // below that of the whole test; it only ends what hangs
  int quiet_about = -1;  // a rank that is meant to end badly: its end is not printed
};

// One meeting place, of the whole job or of one host, in memory that all ranks share.
class Meeting {
 public:
  // Gives `mine`, returns when all have given; `all` gets everybody's. Two copies by turns: nobody is two
  // calls ahead.
  template <typename AnyDead>
  void gather(int index, int size, const void* mine, void* all, std::size_t bytes, AnyDead&& any_dead) {
    if (bytes > kBlockBytes) throw Error(Status::argument, "gather: too many bytes for the test's meeting place");
    const std::uint32_t now = generation_.load();
    auto& blocks = blocks_[now % 2];
    std::memcpy(blocks[static_cast<std::size_t>(index)].data(), mine, bytes);
    if (arrived_.fetch_add(1) + 1 == size) {
      arrived_.store(0);
      generation_.store(now + 1);
      os::futex_wake(generation_);
    }
    while (generation_.load() == now) {
      os::futex_wait(generation_, now, std::chrono::milliseconds(20));
      if (any_dead() && generation_.load() == now) throw Error(Status::mpi, "gather: a rank has ended");
    }
    for (int i = 0; i < size; ++i) {
      std::memcpy(static_cast<std::byte*>(all) + static_cast<std::size_t>(i) * bytes,
                  blocks[static_cast<std::size_t>(i)].data(), bytes);
    }
  }

 private:
  std::atomic<std::uint32_t> generation_;
  std::atomic<int> arrived_;
  std::array<std::array<std::array<std::byte, kBlockBytes>, kMostRanks>, 2> blocks_;
};

struct SharedJob {
  std::array<std::atomic<pid_t>, kMostRanks> pids;             // as the test process sees them
  std::array<std::atomic<std::int64_t>, kMostRanks> ended_ns;  // when the test process had reaped it; 0: not yet
  Meeting job;
  std::array<Meeting, kMostRanks> hosts;
  std::array<std::atomic<std::uint64_t>, 64> words;  // for the test's own use
};

class ForkBootstrap final : public node::Bootstrap {
 public:
  ForkBootstrap(SharedJob& shared, int rank, std::vector<int> host)
      : shared_(shared), rank_(rank), host_(std::move(host)) {
    for (std::size_t i = 0; i < host_.size(); ++i) {
      if (host_[i] == my_host()) candidates_.push_back(static_cast<int>(i));
    }
  }

  [[nodiscard]] int job_rank() const override { return rank_; }
  [[nodiscard]] int job_size() const override { return static_cast<int>(host_.size()); }
  [[nodiscard]] int candidate_rank() const override {
    return static_cast<int>(std::find(candidates_.begin(), candidates_.end(), rank_) - candidates_.begin());
  }
  [[nodiscard]] int candidate_size() const override { return static_cast<int>(candidates_.size()); }

  void candidate_gather(const void* mine, void* all, std::size_t bytes) override {
    Meeting& meeting = shared_.hosts[static_cast<std::size_t>(my_host())];
    meeting.gather(candidate_rank(), candidate_size(), mine, all, bytes, [&] { return any_ended(candidates_); });
  }
  [[nodiscard]] std::int64_t job_max(std::int64_t mine) override {
    const std::vector<std::int64_t> all = job_gather(mine);
    return *std::max_element(all.begin(), all.end());
  }
  [[nodiscard]] std::int64_t job_sum(std::int64_t mine) override {
    std::int64_t sum = 0;
    for (const std::int64_t one : job_gather(mine)) sum += one;
    return sum;
  }

  // Sends a signal to another rank once it runs; SIGKILL, SIGSTOP, SIGCONT.
  [[nodiscard]] pid_t process_of(int rank) const { return shared_.pids[static_cast<std::size_t>(rank)].load(); }
  void signal_rank(int rank, int signal) {
    if (const pid_t pid = process_of(rank); pid > 0) ::kill(pid, signal);
  }
  void kill_rank(int rank) { signal_rank(rank, SIGKILL); }
  [[nodiscard]] std::int64_t ended_ns(int rank) const {
    return shared_.ended_ns[static_cast<std::size_t>(rank)].load();
  }
  [[nodiscard]] bool has_ended(int rank) const { return ended_ns(rank) != 0; }
  // 64 zeroed words that all ranks and the test process's children share.
  [[nodiscard]] std::atomic<std::uint64_t>& word(std::size_t index) { return shared_.words[index]; }

 private:
  [[nodiscard]] int my_host() const { return host_[static_cast<std::size_t>(rank_)]; }
  [[nodiscard]] bool any_ended(const std::vector<int>& ranks) const {
    return std::any_of(ranks.begin(), ranks.end(), [&](int rank) { return has_ended(rank); });
  }
  [[nodiscard]] std::vector<std::int64_t> job_gather(std::int64_t mine) {
    std::vector<int> everyone;
    for (int i = 0; i < job_size(); ++i) everyone.push_back(i);
    std::vector<std::int64_t> all(host_.size());
    shared_.job.gather(rank_, job_size(), &mine, all.data(), sizeof(mine), [&] { return any_ended(everyone); });
    return all;
  }

  SharedJob& shared_;
  int rank_;
  std::vector<int> host_;
  std::vector<int> candidates_;
};

using RankBody = std::function<void(ForkBootstrap&)>;

namespace detail {

[[noreturn]] inline void exit_flushed(int code) {
  std::fflush(nullptr);
  ::_exit(code);
}

[[noreturn]] inline void be_rank(SharedJob& shared, int rank, const RankBody& body, const RunOptions& options) {
  int code = 0;
  try {
    ForkBootstrap bootstrap(shared, rank, options.host);
    body(bootstrap);
    if (::testing::Test::HasFailure()) code = 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    code = 2;
  }
  exit_flushed(code);
}

// The first process in a new pid namespace is a child of the one that asked for it: stand in between.
[[noreturn]] inline void be_rank_in_own_namespace(SharedJob& shared, int rank, const RankBody& body,
                                                  const RunOptions& options) {
  if (::unshare(CLONE_NEWPID) != 0) exit_flushed(3);
  const pid_t inner = ::fork();
  if (inner == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    be_rank(shared, rank, body, options);
  }
  shared.pids[static_cast<std::size_t>(rank)].store(inner);
  int status = 0;
  ::waitpid(inner, &status, 0);
  if (WIFSIGNALED(status)) ::kill(::getpid(), WTERMSIG(status));
  exit_flushed(WEXITSTATUS(status));
}

inline pid_t start_rank(SharedJob& shared, int rank, const RankBody& body, const RunOptions& options,
                        const sigset_t& old_signals) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::sigprocmask(SIG_SETMASK, &old_signals, nullptr);
  shared.pids[static_cast<std::size_t>(rank)].store(::getpid());
  if (options.enter) options.enter(rank);
  if (options.pid_namespace == PidNamespace::own) be_rank_in_own_namespace(shared, rank, body, options);
  be_rank(shared, rank, body, options);
}

inline bool reap(pid_t pid, RankEnd& end) {
  int status = 0;
  if (::waitpid(pid, &status, WNOHANG) != pid) return false;
  remove_what_llvm_left(pid);
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return true;
}

}  // namespace detail

// Runs `body` on each of `ranks` forked ranks and returns how each one ended.
inline std::vector<RankEnd> run_ranks(int ranks, const RankBody& body, RunOptions options = {}) {
  const auto count = static_cast<std::size_t>(ranks);
  if (options.host.empty()) options.host.assign(count, 0);
  const os::Mapping memory = os::Mapping::anonymous(sizeof(SharedJob));
  auto& shared = *reinterpret_cast<SharedJob*>(memory.bytes().data());

  sigset_t child_signal;
  sigset_t old_signals;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child_signal, &old_signals);
  std::fflush(nullptr);

  std::vector<RankEnd> ends(count);
  std::vector<pid_t> pids(count);
  for (std::size_t i = 0; i < count; ++i) {
    pids[i] = detail::start_rank(shared, static_cast<int>(i), body, options, old_signals);
  }
  const std::int64_t deadline_ns = now_ns() + Nanoseconds(options.watchdog).count();
  for (std::size_t running = count; running > 0;) {
    for (std::size_t i = 0; i < count; ++i) {
      if (shared.ended_ns[i].load() != 0 || !detail::reap(pids[i], ends[i])) continue;
      shared.ended_ns[i].store(now_ns());
      --running;
    }
    if (running == 0) break;
    const timespec pause{.tv_sec = 0, .tv_nsec = 100'000'000};
    ::sigtimedwait(&child_signal, nullptr, &pause);  // ends at once when a child ends
    if (now_ns() < deadline_ns) continue;
    ADD_FAILURE() << "the watchdog ended " << running << " of " << count << " ranks";
    for (std::size_t i = 0; i < count; ++i) {
      if (shared.ended_ns[i].load() != 0) continue;
      const pid_t inner = shared.pids[i].load();
      if (inner > 0) ::kill(inner, SIGKILL);
      ::kill(pids[i], SIGKILL);
    }
  }
  ::sigprocmask(SIG_SETMASK, &old_signals, nullptr);
  for (std::size_t i = 0; i < count; ++i) {
    if (ends[i].exit_code != 0 && static_cast<int>(i) != options.quiet_about)
      std::fprintf(stderr, "rank %zu: exit %d, signal %d\n", i, ends[i].exit_code, ends[i].signal);
  }
  return ends;
}

}  // namespace comity::testing
