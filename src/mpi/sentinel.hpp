// SPDX-License-Identifier: BSD-3-Clause
// Sentinel: stands by while this thread is in a call of MPI that does not return before others of this node have made theirs.
// MPI has calls that have no other form; where one of those others has ended inside, none of them would ever return, so there
// the job ends, as MPI ends one on an error: with a sentence, by MPI_Abort. Not: a wait that can be given up (patience).
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace comity::mpi {

class Sentinel {
 public:
  // `awaited`: their numbers in MPI_COMM_WORLD; `own`: mine. `call`: its name, which stays where it is.
  Sentinel(std::vector<int> awaited, int own, const char* call);
  Sentinel(const Sentinel&) = delete;
  Sentinel& operator=(const Sentinel&) = delete;
  ~Sentinel();

 private:
  void stand_by();
  [[nodiscard]] bool is_over_after(int milliseconds);
  [[nodiscard]] std::optional<int> missing() const;

  std::vector<int> awaited_;
  int own_;
  const char* call_;
  std::mutex mutex_;  // of over_
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;  // none where the system has no room for it: then nobody stands by
};

}  // namespace comity::mpi
