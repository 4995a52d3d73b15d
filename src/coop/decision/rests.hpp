// SPDX-License-Identifier: BSD-3-Clause
// Rests: who is to be told while this rank sleeps in MPI. One listener a process.
#pragma once

namespace comity::coop {

struct RestListener {
  void* (*begins)() = nullptr;  // returns what ends() gets; null: nobody listens
  void (*ends)(void* rest) = nullptr;
};

void tell_rests(const RestListener& listener);

// While this lives the rank sleeps.
class Rest {
 public:
  Rest();
  ~Rest();
  Rest(const Rest&) = delete;
  Rest& operator=(const Rest&) = delete;

 private:
  void (*ends_)(void* rest) = nullptr;
  void* rest_ = nullptr;
};

}  // namespace comity::coop
