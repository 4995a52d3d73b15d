// SPDX-License-Identifier: BSD-3-Clause
#include "threads.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>

#include "rules.hpp"

namespace conform {
namespace {

constexpr int kMostCpus = 4096;

struct Set {
  Set() : bits(CPU_ALLOC(kMostCpus)) { CPU_ZERO_S(size, bits); }
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;
  ~Set() { CPU_FREE(bits); }
  std::size_t size = CPU_ALLOC_SIZE(kMostCpus);
  cpu_set_t* bits;
};

bool sleeps(pid_t thread) {
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:")) return line.find('S', std::string("State:").size()) != std::string::npos;
  }
  return false;
}

std::vector<pid_t> threads() {
  std::vector<pid_t> ids;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    ids.push_back(static_cast<pid_t>(std::stol(entry.path().filename())));
  }
  return ids;
}

}  // namespace

Cpus mask_of(pid_t thread) {
  const Set set;
  Cpus cpus;
  if (sched_getaffinity(thread, set.size, set.bits) != 0) return cpus;
  for (int cpu = 0; cpu < kMostCpus; ++cpu) {
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), set.size, set.bits)) cpus.push_back(cpu);
  }
  return cpus;
}

void bind_thread(pid_t thread, const Cpus& cpus) {
  const Set set;
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), set.size, set.bits);
  (void)sched_setaffinity(thread, set.size, set.bits);  // it may have ended
}

// The kernel keeps what the cgroup allows of a mask.
const Cpus& all_cpus() {
  static const Cpus cpus = [] {
    Cpus every(kMostCpus);
    std::iota(every.begin(), every.end(), 0);
    bind_thread(0, every);
    return mask_of(0);
  }();
  return cpus;
}

void bind_all(const Cpus& cpus) {
  for (const pid_t thread : threads()) bind_thread(thread, cpus);
}

std::optional<std::vector<pid_t>> other_threads_asleep() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kPatience{5};
  for (const auto end = Clock::now() + kPatience; Clock::now() < end; std::this_thread::yield()) {
    std::vector<pid_t> others = threads();
    std::erase(others, getpid());
    if (std::ranges::all_of(others, sleeps)) return others;
  }
  return std::nullopt;
}

int thread_count() { return static_cast<int>(threads().size()); }

int thread_count_at_rest() {
  (void)other_threads_asleep();
  return thread_count();
}

std::string list_of(const Cpus& cpus) {
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ",";
    text += std::to_string(cpus[first]);
    if (last > first) text += "-" + std::to_string(cpus[last]);
    first = last + 1;
  }
  return text;
}

Cpus union_of(const Cpus& a, const Cpus& b) {
  Cpus both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

Cpus cpus_of(QUO_context q, QUO_obj_type_t type, int index) {
  push(q, type, index);
  Cpus cpus = mask_of(0);
  pop(q);
  return cpus;
}

Cpus cpus_of_all_but(QUO_context q, QUO_obj_type_t type, int left_out) {
  Cpus cpus;
  for (int index = 0; index < count(q, type); ++index) {
    if (index != left_out) cpus = union_of(cpus, cpus_of(q, type, index));
  }
  return cpus;
}

PollingThread::PollingThread() {
  if (pipe(ends_) != 0) std::abort();
  thread_ = std::thread([this] {
    id_ = static_cast<pid_t>(syscall(SYS_gettid));
    id_.notify_one();
    pollfd message{ends_[0], POLLIN, 0};
    (void)poll(&message, 1, -1);
  });
  id_.wait(0);
}

PollingThread::~PollingThread() {
  close(ends_[1]);
  thread_.join();
  close(ends_[0]);
}

PinnedThread::PinnedThread(const Cpus& cpus)
    : thread_([this, cpus] {
        bind_thread(0, cpus);
        id_ = static_cast<pid_t>(syscall(SYS_gettid));
        id_.notify_one();
        ends_.wait(false);
      }) {
  id_.wait(0);
}

PinnedThread::~PinnedThread() {
  ends_ = true;
  ends_.notify_one();
  thread_.join();
}

}  // namespace conform
