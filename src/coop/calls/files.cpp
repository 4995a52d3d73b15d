// SPDX-License-Identifier: BSD-3-Clause
// Files: collective calls go to the library behind a meeting of the ranks that share a node. What one rank does alone
// waits in the kernel, for its disk.
#include <mpi.h>

#include <array>

#include "coop/calls/meetings.hpp"
#include "coop/calls/replacements.hpp"

namespace comity::coop {
namespace {

#define COMITY_MEET(name) named(#name, &MeetsKnown<real::name, 0>::call)

const auto& replacements() {
  static const auto all = std::to_array<NamedReplacement>({
      named("MPI_File_open", &Makes<real::MPI_File_open, 0>::call),
      named("MPI_File_close", &Ends<real::MPI_File_close, AtTheEnd::meet>::call),
      COMITY_MEET(MPI_File_set_size),
      COMITY_MEET(MPI_File_preallocate),
      COMITY_MEET(MPI_File_set_view),
      COMITY_MEET(MPI_File_set_info),
      COMITY_MEET(MPI_File_set_atomicity),
      COMITY_MEET(MPI_File_seek_shared),
      COMITY_MEET(MPI_File_sync),
      COMITY_BOTH(COMITY_MEET, MPI_File_read_all),
      COMITY_BOTH(COMITY_MEET, MPI_File_read_at_all),
      COMITY_BOTH(COMITY_MEET, MPI_File_read_ordered),
      COMITY_BOTH(COMITY_MEET, MPI_File_write_all),
      COMITY_BOTH(COMITY_MEET, MPI_File_write_at_all),
      COMITY_BOTH(COMITY_MEET, MPI_File_write_ordered),
      COMITY_BOTH(COMITY_MEET, MPI_File_read_all_begin),
      COMITY_BOTH(COMITY_MEET, MPI_File_read_at_all_begin),
      COMITY_BOTH(COMITY_MEET, MPI_File_read_ordered_begin),
      COMITY_BOTH(COMITY_MEET, MPI_File_write_all_begin),
      COMITY_BOTH(COMITY_MEET, MPI_File_write_at_all_begin),
      COMITY_BOTH(COMITY_MEET, MPI_File_write_ordered_begin),
      COMITY_BOTH(COMITY_STARTED, MPI_File_iread_all),
      COMITY_BOTH(COMITY_STARTED, MPI_File_iread_at_all),
      COMITY_BOTH(COMITY_STARTED, MPI_File_iwrite_all),
      COMITY_BOTH(COMITY_STARTED, MPI_File_iwrite_at_all),
  });
  return all;
}

#undef COMITY_MEET

}  // namespace

interpose::Replacement replacement_of_file(std::string_view name) { return find_replacement(replacements(), name); }

}  // namespace comity::coop
