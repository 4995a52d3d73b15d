// SPDX-License-Identifier: BSD-3-Clause
// Files: who opens one waits for the others as before a collective. All else goes to the library at once, for how much its ranks
// wait for one another there is each library's own affair: asleep inside. What one rank does alone waits in the kernel, for
// its disk.
#include <mpi.h>

#include <array>

#include "coop/calls/meetings.hpp"
#include "coop/calls/replacements.hpp"

namespace comity::coop {
namespace {

template <auto kReal>
struct InLibrary;
template <class... A, int (*kReal)(A...)>
struct InLibrary<kReal> {
  static int call(A... a) { return call_collective<kReal>(nullptr, a...); }
};

#define COMITY_INSIDE(name) named(#name, &InLibrary<real::name>::call)

const auto& replacements() {
  static const auto all = std::to_array<NamedReplacement>({
      named("MPI_File_open", &Meets<real::MPI_File_open, kEverybody, 0>::call),
      COMITY_INSIDE(MPI_File_close),
      COMITY_INSIDE(MPI_File_set_size),
      COMITY_INSIDE(MPI_File_preallocate),
      COMITY_INSIDE(MPI_File_set_view),
      COMITY_INSIDE(MPI_File_set_info),
      COMITY_INSIDE(MPI_File_set_atomicity),
      COMITY_INSIDE(MPI_File_seek_shared),
      COMITY_INSIDE(MPI_File_sync),
      COMITY_BOTH(COMITY_INSIDE, MPI_File_read_all),
      COMITY_BOTH(COMITY_INSIDE, MPI_File_read_at_all),
      COMITY_BOTH(COMITY_INSIDE, MPI_File_read_ordered),
      COMITY_BOTH(COMITY_INSIDE, MPI_File_write_all),
      COMITY_BOTH(COMITY_INSIDE, MPI_File_write_at_all),
      COMITY_BOTH(COMITY_INSIDE, MPI_File_write_ordered),
      COMITY_BOTH(COMITY_INSIDE, MPI_File_read_all_begin),
      COMITY_BOTH(COMITY_INSIDE, MPI_File_read_at_all_begin),
      COMITY_BOTH(COMITY_INSIDE, MPI_File_read_ordered_begin),
      COMITY_BOTH(COMITY_INSIDE, MPI_File_write_all_begin),
      COMITY_BOTH(COMITY_INSIDE, MPI_File_write_at_all_begin),
      COMITY_BOTH(COMITY_INSIDE, MPI_File_write_ordered_begin),
      COMITY_BOTH(COMITY_STARTED, MPI_File_iread_all),
      COMITY_BOTH(COMITY_STARTED, MPI_File_iread_at_all),
      COMITY_BOTH(COMITY_STARTED, MPI_File_iwrite_all),
      COMITY_BOTH(COMITY_STARTED, MPI_File_iwrite_at_all),
  });
  return all;
}

#undef COMITY_INSIDE

}  // namespace

interpose::Replacement replacement_of_file(std::string_view name) { return find_replacement(replacements(), name); }

}  // namespace comity::coop
