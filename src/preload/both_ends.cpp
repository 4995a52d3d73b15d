// SPDX-License-Identifier: BSD-3-Clause
// What is done at both ends of the process, outside of all calls of MPI: its memory is looked at when it is loaded, and where it ends and
// MPI_Finalize was never called, by exit(), also from inside MPI, what is left to be told is told, also that no call of MPI came.
#include <exception>

#include "os/environment.hpp"
#include "preload/guarded.hpp"
#include "preload/parts.hpp"
#include "preload/unseen_begin.hpp"

namespace comity::preload {
namespace {

// Never destroyed, for the process may still be asked when it ends.
constinit std::optional<os::Statm> at_load;

}  // namespace

const std::optional<os::Statm>& memory_at_load() noexcept { return at_load; }

}  // namespace comity::preload

// The loader calls it, before the program begins. Whether the setting makes sense is seen when its first call of MPI comes.
__attribute__((constructor)) static void look_first() {
  try {
    if (comity::os::environment("COMITY_MEMORY")) comity::preload::at_load = comity::os::OwnStatm().read();
  } catch (const std::exception&) {
    // Without /proc nothing is told, and later a line says so.
  }
}

// The loader calls it, after what the program has asked for by atexit. What was never made is not made now.
__attribute__((destructor)) static void tell_last_words() {
  if (comity::preload::WatchedRun* const run = comity::preload::run_that_is_made())
    run->leave(comity::memory::Moment::at_exit);
  comity::preload::guarded("whether MPI was seen is not told", [] { comity::preload::tell_of_unseen_begin(); });
}
