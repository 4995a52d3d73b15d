// SPDX-License-Identifier: BSD-3-Clause
// Meetings: what the replacements of collective calls share. Before such a call the ranks of its communicator, window or
// file that share a node meet (arrivals). A communicator is learnt at its first collective, windows and files where they
// are made, for they do not tell their communicator.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <tuple>
#include <type_traits>

#include "coop/calls/calls.hpp"
#include "coop/library/library_wait.hpp"

namespace comity::coop {

// Distinct for all communicators, windows and files that there are: addresses, or numbers whose first bits tell the kind.
template <class Handle>
[[nodiscard]] std::uint64_t key_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uint32_t>(handle);
  }
}

// Called from C: what goes wrong is told, and the library's call comes at once.
void meet(MPI_Comm communicator) noexcept;
void meet_known(std::uint64_t key) noexcept;                       // what was not learnt does not meet
void learn_as(std::uint64_t key, MPI_Comm communicator) noexcept;  // collective over the communicator
void forget(std::uint64_t key);

// The library's call of a collective. Others may sleep inside it until this rank's part of it has come.
template <auto kReal, class... A>
int call_collective(A... a) {
  int code = MPI_SUCCESS;
  {
    [[maybe_unused]] const LibraryWait waits;
    code = kReal(a...);
  }
  if (Cooperation* const here = at_work(); here != nullptr && sleeps_in_the_library()) here->peers.ring_everybody();
  return code;
}

// The communicator is that argument.
template <auto kReal, std::size_t kAt>
struct Meets;
template <class... A, int (*kReal)(A...), std::size_t kAt>
struct Meets<kReal, kAt> {
  static int call(A... a) {
    meet(std::get<kAt>(std::tuple<A...>(a...)));
    return call_collective<kReal>(a...);
  }
};
template <auto kReal>
struct MeetsLast;
template <class... A, int (*kReal)(A...)>
struct MeetsLast<kReal> : Meets<kReal, sizeof...(A) - 1> {};

// The window or file is that argument.
template <auto kReal, std::size_t kAt>
struct MeetsKnown;
template <class... A, int (*kReal)(A...), std::size_t kAt>
struct MeetsKnown<kReal, kAt> {
  static int call(A... a) {
    meet_known(key_of(std::get<kAt>(std::tuple<A...>(a...))));
    return call_collective<kReal>(a...);
  }
};

// Makes a window or file, the last argument, of the ranks of a communicator.
template <auto kReal, std::size_t kAt>
struct Makes;
template <class... A, int (*kReal)(A...), std::size_t kAt>
struct Makes<kReal, kAt> {
  static int call(A... a) {
    const std::tuple<A...> arguments(a...);
    meet(std::get<kAt>(arguments));
    const int code = call_collective<kReal>(a...);
    if (code == MPI_SUCCESS) learn_as(key_of(*std::get<sizeof...(A) - 1>(arguments)), std::get<kAt>(arguments));
    return code;
  }
};

// Ends a communicator, window or file. Communicators wait for nobody there.
enum class AtTheEnd : std::uint8_t { meet, part };
template <auto kReal, AtTheEnd kHow>
struct Ends;
template <class Handle, int (*kReal)(Handle*), AtTheEnd kHow>
struct Ends<kReal, kHow> {
  static int call(Handle* handle) {
    if (handle != nullptr) {
      if constexpr (kHow == AtTheEnd::meet) meet_known(key_of(*handle));
      forget(key_of(*handle));
    }
    return call_collective<kReal>(handle);
  }
};

}  // namespace comity::coop
