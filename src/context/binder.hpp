// SPDX-License-Identifier: BSD-3-Clause
// Binder: moves this process, with the threads that it has, onto a CPU set and back. Not: the order of moves
// (binding_stack). All calls are serialised by the stack.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/cpu_set.hpp"

namespace comity::context {

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

class Binder {
 public:
  virtual ~Binder() = default;

  [[nodiscard]] virtual CpuSet binding() const = 0;  // what the process is bound to now
  // Moves every thread but MPI's helpers onto `mask`; throws and changes nothing if the kernel refuses. `pushed`: the push in
  // force, which threads born from here on get back (a placed main thread's own mask is only one core of it); null: there
  // is none, and what the main thread is bound to counts.
  [[nodiscard]] virtual Saved move(const CpuSet& mask, const CpuSet* pushed) = 0;
  // Gives back what a move replaced; threads born since get the process's former binding. True: the main thread has its
  // former mask again; else the kernel has to be asked.
  virtual bool restore(const Saved& saved) noexcept = 0;
  // Learns which threads of the process are helpers of MPI and the like: those that sleep in poll now.
  virtual void note_helpers() = 0;
};

// For machines that are not this one (synthetic, XML): remembers the binding and moves nothing.
class SimulatedBinder final : public Binder {
 public:
  explicit SimulatedBinder(const CpuSet& start) : binding_(start) {}

  [[nodiscard]] CpuSet binding() const override { return binding_; }
  [[nodiscard]] Saved move(const CpuSet& mask, const CpuSet* pushed) override {
    Saved saved{pushed == nullptr ? binding_ : *pushed, {}, mask};
    binding_ = mask;
    return saved;
  }
  bool restore(const Saved& saved) noexcept override {
    binding_ = saved.process;
    return true;
  }
  void note_helpers() override {}

 private:
  CpuSet binding_;
};

}  // namespace comity::context
