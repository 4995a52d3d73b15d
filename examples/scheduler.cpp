// SPDX-License-Identifier: BSD-3-Clause
// A scheduler of one's own, and nothing else: the fiber whose job is due first runs first. It has its harts from the scheduler
// above, and may lend them to others below.
//   scheduler
#include <comity/sched.hpp>
#include <cstdio>
#include <mutex>
#include <queue>
#include <vector>

namespace sched = comity::sched;

namespace {

struct Job {
  int due;
  std::vector<int>* done;
  sched::Mutex* mutex;
};

class DueFirst : public sched::Scheduler {
 protected:
  explicit DueFirst(int harts) : own_(static_cast<std::size_t>(harts)) {}

  // Whoever is free may begin it; the lock is held for some instructions, so an ordinary one will do.
  void made(int, sched::Runnable fiber) noexcept override {
    {
      const std::lock_guard<std::mutex> held(mutex_);
      fresh_.push(fiber);
    }
    if (comity_sched_idle() != 0) request(1);
  }
  // A fiber that has run goes on on the same hart, so each hart has a queue for those, which it alone touches.
  void ready(int hart, sched::Runnable fiber) noexcept override { own_[hart].push(fiber); }

  sched::Runnable next(int hart) noexcept override {
    const std::lock_guard<std::mutex> held(mutex_);
    Jobs& own = own_[hart];
    if (own.empty() && fresh_.empty()) return nullptr;
    Jobs& from = own.empty() || (!fresh_.empty() && LaterDue()(own.top(), fresh_.top())) ? fresh_ : own;
    const sched::Runnable first = from.top();
    from.pop();
    return first;
  }
  int waiting(int hart) noexcept override {
    const std::lock_guard<std::mutex> held(mutex_);
    return static_cast<int>(own_[hart].size() + fresh_.size());
  }

 private:
  struct LaterDue {
    bool operator()(sched::Runnable left, sched::Runnable right) const { return due(left) > due(right); }
    static int due(sched::Runnable fiber) { return static_cast<const Job*>(comity_sched_argument_of(fiber))->due; }
  };
  using Jobs = std::priority_queue<sched::Runnable, std::vector<sched::Runnable>, LaterDue>;

  std::mutex mutex_;
  Jobs fresh_;             // under the mutex
  std::vector<Jobs> own_;  // by hart
};

void work(void* argument) {
  const Job& job = *static_cast<const Job*>(argument);
  sched::yield();  // others that are due earlier go first here too
  const std::lock_guard<sched::Mutex> held(*job.mutex);
  job.done->push_back(job.due);
}

}  // namespace

int main() {
  sched::Harts harts;
  return harts.run([] {
    sched::Entered<DueFirst> due_first(sched::harts());
    constexpr int kJobs = 100;
    sched::Mutex mutex;
    std::vector<int> done;
    std::vector<Job> jobs;
    for (int i = 0; i < kJobs; ++i) jobs.push_back({i * 37 % kJobs, &done, &mutex});

    std::vector<comity_sched_fiber> fibers(kJobs);
    for (int i = 0; i < kJobs; ++i)
      comity::check(comity_sched_spawn(due_first.handle(), work, &jobs[i], "job", &fibers[i]));
    for (comity_sched_fiber& fiber : fibers) comity::check(comity_sched_join(&fiber));
    std::printf("%zu jobs on %d harts, the first was due at %d\n", done.size(), sched::harts(), done.front());
    return done.size() == kJobs ? 0 : 1;
  });
}
