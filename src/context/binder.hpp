// SPDX-License-Identifier: BSD-3-Clause
// Binder: moves this process, with the threads that it has, onto a CPU set and back. Not: the order of moves
// (binding_stack). All calls are serialised by the stack.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_set.hpp"
#include "base/error.hpp"

namespace comity::context {

// What a move does about the OpenMP team of its caller. place: it has a member for each core, threads are started where it has
// fewer, and each gets a core of its own. keep: none is started; members that exist get a core each, the caller one only where
// there is a member for each. leave: members are threads like others.
enum class TeamPolicy : std::uint8_t { place, keep, leave };

// What a move replaced, so that it can be undone thread by thread, and what it gave.
struct Saved {
  struct Thread {
    pid_t id;
    CpuSet mask;
    bool moved = true;  // false: the move left it where it was
  };
  CpuSet process;               // the binding before the move
  std::vector<Thread> threads;  // masks before the move, of the threads that it reached
  CpuSet given = {};            // to the main thread: what binding() says until somebody else moves it
};

// What came of giving masks back. A thread that has ended meanwhile is no refusal.
struct Restored {
  bool has_main_thread = false;  // its former mask; else the kernel has to be asked what it has
  pid_t refused = 0;             // the first living thread that the kernel refused its mask
  int problem = 0;               // why, an errno; 0: none was refused

  void note(pid_t thread, int why) {
    if (problem == 0) *this = {has_main_thread, thread, why};
  }
};

// Throws Status::system where a thread was refused; `act` is done all the same.
inline void require_given_back(std::string_view act, const Restored& restored) {
  if (restored.problem == 0) return;
  const Error error =
      system_error(std::string(act) + ": it is done, but thread " + std::to_string(restored.refused) +
                       " was refused its former CPUs and keeps those that it has",
                   restored.problem, "comity_context_refresh tells what is in force; a push moves it once it may");
  throw Error(Status::system, error.what());
}

// Where the threads of a process may be.
struct ThreadMasks {
  CpuSet all;  // the union, without MPI's helpers
  CpuSet main_thread;
  bool is_pushed = false;  // a push counts in `all`
};

class Binder {
 public:
  virtual ~Binder() = default;

  [[nodiscard]] virtual CpuSet binding() const = 0;          // what the process is bound to now
  [[nodiscard]] virtual ThreadMasks masks_of_threads() = 0;  // now
  // Moves every thread but MPI's helpers onto `mask`; throws and changes nothing if the kernel refuses. `pushed`: the push in
  // force, which threads born from here on get back (a placed main thread's own mask is only one core of it); null: there
  // is none, and what the main thread is bound to counts.
  [[nodiscard]] virtual Saved move(const CpuSet& mask, const CpuSet* pushed, TeamPolicy teams) = 0;
  // Gives back what a move replaced; threads born since get the process's former binding. Goes on where one is refused.
  virtual Restored restore(const Saved& saved) noexcept = 0;
  // Gives one thread the mask that a move took from it; one that has ended needs none.
  virtual void give_back(const Saved::Thread& thread) noexcept = 0;
  // Moves the calling thread alone and returns what it had; throws and changes nothing if the kernel refuses.
  virtual CpuSet move_caller(const CpuSet& mask) = 0;
  // Learns which threads of the process are helpers of MPI and the like: those that sleep in poll now. Returns
  // all that are known.
  virtual std::vector<pid_t> note_helpers() = 0;
};

// For machines that are not this one (synthetic, XML): remembers the binding and moves nothing.
class SimulatedBinder final : public Binder {
 public:
  explicit SimulatedBinder(const CpuSet& start) : binding_(start) {}

  [[nodiscard]] CpuSet binding() const override { return binding_; }
  [[nodiscard]] ThreadMasks masks_of_threads() override { return {binding_, binding_}; }
  [[nodiscard]] Saved move(const CpuSet& mask, const CpuSet* pushed, TeamPolicy /*teams*/) override {
    Saved saved{pushed == nullptr ? binding_ : *pushed, {}, mask};
    binding_ = mask;
    return saved;
  }
  Restored restore(const Saved& saved) noexcept override {
    binding_ = saved.process;
    return {true};
  }
  void give_back(const Saved::Thread&) noexcept override {}
  CpuSet move_caller(const CpuSet& /*mask*/) override { return binding_; }  // threads are not remembered one by one
  std::vector<pid_t> note_helpers() override { return {}; }

 private:
  CpuSet binding_;
};

}  // namespace comity::context
