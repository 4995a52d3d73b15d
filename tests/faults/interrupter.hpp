// SPDX-License-Identifier: BSD-3-Clause
// Interrupter: a process that ends or stops another one, its victim, at the n-th system-call stop of a step: before or
// after a call of the kernel, so that a sweep over n visits every state that others can find the victim's shared things
// in. A step that makes no call is interrupted at its n-th instruction instead. It traces the victim from the start of
// the step to its end.
//
//   victim:  Step step(words); ... the step ...
//   other:   Interrupter interrupter(words, nth, Blow::kill); ... interrupter.finish();
#pragma once

#include <sys/ptrace.h>
#include <sys/types.h>

#include <atomic>
#include <limits>

namespace comity::testing {

// In memory that victim and interrupter share; at first zero.
struct InterruptWords {
  std::atomic<pid_t> victim;   // set: the step may begin once the interrupter is there
  std::atomic<bool> attached;  // the interrupter is there, or cannot be
  std::atomic<bool> refused;   // the kernel does not let us trace
  std::atomic<int> counting;   // stops count now
  std::atomic<int> stops;      // that counted
  std::atomic<bool> over;      // the step has ended
  std::atomic<bool> struck;    // the blow falls; false: the step had fewer stops
};

enum class Blow { kill, stop_for_a_while };
enum class Grain { system_calls, instructions };

inline constexpr int kOnlyCount = std::numeric_limits<int>::max();  // a stop that no step reaches
inline constexpr int kStopsOfStep = 4;  // by system calls: the two of Step itself, before and after

class Interrupter {
 public:
  // Forks the process that waits for the victim. The blow falls at stop `nth`, from 1.
  Interrupter(InterruptWords& words, int nth, Blow blow, Grain grain);
  // Waits for its end. The victim must have ended its step, or be dead.
  void finish();

 private:
  pid_t process_;
};

// The victim's side: while this lives its system calls count, and one more at the start and one at the end.
class Step {
 public:
  explicit Step(InterruptWords& words);
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

 private:
  InterruptWords& words_;
};

// While this lives system calls of the step do not count: what the test does itself.
class Uncounted {
 public:
  explicit Uncounted(InterruptWords& words) : words_(words), before_(words.counting.exchange(0)) {}
  ~Uncounted() { words_.counting.store(before_); }
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;

 private:
  InterruptWords& words_;
  int before_;
};

}  // namespace comity::testing
