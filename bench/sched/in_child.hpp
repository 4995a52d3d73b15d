// SPDX-License-Identifier: BSD-3-Clause
// A measurement in a child of its own, for runtimes whose threads look for work all the time once they have begun.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace bench {

// [ns] what measure() gives; 0 where the child ended otherwise. From a process with one thread.
template <typename Measure>
double in_child(const Measure& measure) {
  int ends[2];
  if (::pipe(ends) != 0) return 0.0;
  const pid_t child = ::fork();
  if (child == 0) {
    const double found = measure();
    ::_exit(::write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
  }
  ::close(ends[1]);
  double found = 0.0;
  if (child < 0 || ::read(ends[0], &found, sizeof found) != sizeof found) found = 0.0;
  ::close(ends[0]);
  if (child > 0) (void)::waitpid(child, nullptr, 0);
  return found;
}

}  // namespace bench
