// SPDX-License-Identifier: BSD-3-Clause
// Files: who opens one waits for the others as before a collective. All else goes to the library at once, for how much its ranks
// wait for one another there is each library's own affair: asleep inside, and where a wait there would spin, behind a barrier of the
// file's ranks that sleeps, if all of them wait for all anyway. Not the library's nonblocking forms: MPICH's tell of no error of the
// disk. What one rank does alone waits in the kernel, for its disk.
#include <mpi.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "coop/calls/file_rooms.hpp"
#include "coop/calls/meetings.hpp"
#include "coop/calls/replacements.hpp"
#include "coop/calls/started_collectives.hpp"
#include "interpose/handles.hpp"

namespace comity::coop {
namespace {

// Never destroyed: programs call MPI also while they end.
FileRooms& rooms() {
  static auto* const all = new FileRooms;
  return *all;
}

// MPICH's ranks begin a collective transfer by telling one another what they want of the file, unless a hint keeps them from it.
bool gathers(MPI_Info hints, const char* key) {
  std::array<char, 32> value{};
  int is_set = 0;
  if (real::MPI_Info_get(hints, key, static_cast<int>(value.size()) - 1, value.data(), &is_set) != MPI_SUCCESS)
    return false;
  const std::string_view text(value.data());
  return is_set != 0 && (text == "automatic" || text == "AUTOMATIC" || text == "enable" || text == "ENABLE");
}

WaitsForAll waits_by_hints(MPI_File file) {
  MPI_Info hints;
  if (real::MPI_File_get_info(file, &hints) != MPI_SUCCESS) return {};
  const WaitsForAll waits{.in_reads = gathers(hints, "romio_cb_read"), .in_writes = gathers(hints, "romio_cb_write")};
  real::MPI_Info_free(&hints);
  return waits;
}

// Where a wait in the library would spin the file gets a communicator of its ranks, without what the program has attached to its own.
using Opens = Meets<real::MPI_File_open, kEverybody, 0>;
int open_by(decltype(&Opens::call) open_it, MPI_Comm communicator, const char* name, int mode, MPI_Info info,
            MPI_File* file) {
  const Way way = way_of(communicator, Starts::always, Whom::everybody());
  if (way.code != MPI_SUCCESS) return way.code;
  if (way.starts == nullptr) return open_it(communicator, name, mode, info, file);
  std::optional<FileRooms::New> room = FileRooms::make();
  if (!room) {  // the others would wait in it
    real::MPI_Comm_call_errhandler(communicator, MPI_ERR_NO_MEM);
    return MPI_ERR_NO_MEM;
  }
  const int code = open_it(communicator, name, mode, info, file);
  if (code != MPI_SUCCESS) return code;
  MPI_Comm ranks;
  const int made = Meets<real::MPI_Comm_split, kEverybody, 0>::call(communicator, 0, 0, &ranks);
  if (made == MPI_SUCCESS) rooms().add(std::move(*room), {*file, ranks, waits_by_hints(*file)});
  return code;
}

int open(MPI_Comm communicator, const char* name, int mode, MPI_Info info, MPI_File* file) {
  return open_by(&Opens::call, communicator, name, mode, info, file);
}
int open_from_inside(MPI_Comm communicator, const char* name, int mode, MPI_Info info, MPI_File* file) {
  if (interpose::inner_call_is_the_mpis()) return real::MPI_File_open(communicator, name, mode, info, file);
  return open_by(&Opens::inside, communicator, name, mode, info, file);
}

// Its handle may come back as another file's.
int close_by(int (*close_it)(Meeting*, MPI_File*), MPI_File* file) {
  std::optional<MPI_Comm> ranks;
  if (file != nullptr) ranks = rooms().remove(*file);
  const int code = close_it(nullptr, file);
  if (ranks) real::MPI_Comm_free(&*ranks);
  return code;
}
int close(MPI_File* file) { return close_by(&call_collective<real::MPI_File_close, MPI_File*>, file); }
int close_from_inside(MPI_File* file) { return close_by(&call_from_inside<real::MPI_File_close, MPI_File*>, file); }

// It may change the file's hints.
template <auto kReal>
struct SetsHints;
template <class... A, int (*kReal)(MPI_File, A...)>
struct SetsHints<kReal> {
  static int call(MPI_File file, A... a) { return end(file, call_collective<kReal>(nullptr, file, a...)); }
  static int inside(MPI_File file, A... a) { return end(file, kReal(file, a...)); }

 private:
  static int end(MPI_File file, int code) {
    if (rooms().has(file)) rooms().set(file, waits_by_hints(file));
    return code;
  }
};

// The library refuses such a call at once: its rank may call anew, and is not to have come twice.
template <class... A>
bool is_refused(
    const std::tuple<A...>& arguments) {  // behind the file: perhaps a place, then buffer, count, type and status
  constexpr std::size_t kCount = sizeof...(A) - 3;
  if (std::get<kCount>(arguments) < 0 || std::get<kCount + 1>(arguments) == interpose::handles().no_type) return true;
  if constexpr (kCount == 2) return std::get<0>(arguments) < 0;
  return false;
}

// All ranks of the file transfer some of it.
template <auto kReal, bool WaitsForAll::*kWaits>
struct Transfer;
template <class... A, int (*kReal)(MPI_File, A...), bool WaitsForAll::*kWaits>
struct Transfer<kReal, kWaits> {
  static int call(MPI_File file, A... a) {
    if (!is_refused(std::tuple<A...>(a...))) wait_for_all(file);
    return call_collective<kReal>(nullptr, file, a...);
  }
  static int inside(MPI_File file, A... a) {
    if (!is_refused(std::tuple<A...>(a...))) wait_for_all(file);
    return kReal(file, a...);
  }

 private:
  static void wait_for_all(MPI_File file) {
    const std::optional<MPI_Comm> ranks = rooms().before(file, kWaits);
    Cooperation* const here = at_work();
    if (ranks && here != nullptr) (void)start_and_wait<real::MPI_Ibarrier>(*here, *ranks);
  }
};

template <auto kReal>
struct InLibrary;
template <class... A, int (*kReal)(A...)>
struct InLibrary<kReal> {
  static int call(A... a) { return call_collective<kReal>(nullptr, a...); }
};

#define COMITY_INSIDE(name) named(#name, &InLibrary<real::name>::call)
#define COMITY_HINTS(name) COMITY_ALSO_INSIDE(name, SetsHints<real::name>)
#define COMITY_READ(name) COMITY_ALSO_INSIDE(name, Transfer<real::name, &WaitsForAll::in_reads>)
#define COMITY_WRITE(name) COMITY_ALSO_INSIDE(name, Transfer<real::name, &WaitsForAll::in_writes>)

const auto& replacements() {
  static const auto all = std::to_array<NamedReplacement>({
      named("MPI_File_open", open, open_from_inside),
      named("MPI_File_close", close, close_from_inside),
      COMITY_INSIDE(MPI_File_set_size),
      COMITY_INSIDE(MPI_File_preallocate),
      COMITY_HINTS(MPI_File_set_view),
      COMITY_HINTS(MPI_File_set_info),
      COMITY_INSIDE(MPI_File_set_atomicity),
      COMITY_INSIDE(MPI_File_seek_shared),
      COMITY_INSIDE(MPI_File_sync),
      COMITY_BOTH(COMITY_READ, MPI_File_read_all),
      COMITY_BOTH(COMITY_READ, MPI_File_read_at_all),
      COMITY_BOTH(COMITY_READ, MPI_File_read_ordered),
      COMITY_BOTH(COMITY_WRITE, MPI_File_write_all),
      COMITY_BOTH(COMITY_WRITE, MPI_File_write_at_all),
      COMITY_BOTH(COMITY_WRITE, MPI_File_write_ordered),
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
#undef COMITY_HINTS
#undef COMITY_READ
#undef COMITY_WRITE

}  // namespace

Replaced replacement_of_file(std::string_view name) { return find_replacement(replacements(), name); }

}  // namespace comity::coop
