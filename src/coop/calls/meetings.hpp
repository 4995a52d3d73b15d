// SPDX-License-Identifier: BSD-3-Clause
// Meetings: what the replacements of collective calls share. Before such a call a rank waits for those of its node that it may
// wait for (whom). That takes a meeting place, and to make one takes all ranks: a communicator has one behind its first call
// that nobody leaves before all have come, and that the library has taken, a window where it is made. Ranks of two groups do not meet: who needs whom between
// them each library decides.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "coop/calls/accepted.hpp"
#include "coop/calls/calls.hpp"
#include "coop/calls/posted.hpp"
#include "coop/calls/sure.hpp"
#include "coop/library/library_wait.hpp"
#include "interpose/handles.hpp"
#include "interpose/watch.hpp"

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

// Called from C: what goes wrong is told, and the library's call comes at once. Null: its ranks do not meet, or have no place yet.
Meeting* meet(std::uint64_t key, const Whom& whom) noexcept;
// The library's call is behind it.
Meeting* meet_before(std::uint64_t key, const Whom& whom, Meeting::Taken taken, const Board::Part& part = {}) noexcept;
// Null: what is laid there would not be read, for not all of its ranks meet.
Meeting* find_board(std::uint64_t key) noexcept;
void learn_as(std::uint64_t key, MPI_Comm communicator) noexcept;  // collective over the communicator
// The same behind a call that came back with that code, which is returned; not where it has been done, nor where the call was refused on this
// rank: the others are still in it then, and learn when this one has come to it too.
int learn_behind(MPI_Comm communicator, int code) noexcept;
// An end of something that there is, by a rank that may sleep inside or may not.
[[nodiscard]] Meeting::Taken taken_at_the_end() noexcept;
[[nodiscard]] bool is_new(MPI_Comm communicator) noexcept;  // its ranks have not learnt yet whether they meet

// A call from inside another one, as of a callback: others may make it by themselves, and wait for this rank in front of it. So it counts as
// theirs do, and waits in the library alone. Null: it is not counted; so also on the communicator of the call that this thread is in.
Meeting* find_from_inside(std::uint64_t key) noexcept;
Meeting* come_from_inside(std::uint64_t key, const Whom& whom) noexcept;
void after_inner_collective(Meeting* meeting, int code) noexcept;

Arrivals::Kept forget(std::uint64_t key);
void remember(Arrivals::Kept kept);
// This rank's part of the library's call is done, with that code.
void after_collective(Meeting* meeting, int code) noexcept;

// Whether that is the code of a call that the library does not begin on this rank: something about it is wrong here.
[[nodiscard]] bool is_refusal(int code) noexcept;

// The library's call of a collective. Others may sleep inside it until this rank's part of it has come.
template <auto kReal, class... A>
int call_collective(Meeting* meeting, A... a) {
  int code = MPI_SUCCESS;
  {
    [[maybe_unused]] const LibraryWait waits(Hears::everything, meeting);
    code = kReal(a...);
  }
  after_collective(meeting, code);
  return code;
}

template <auto kReal, class... A>
int call_from_inside(Meeting* meeting, A... a) {
  const int code = kReal(a...);
  after_inner_collective(meeting, code);
  return code;
}

// What a call copies: its count is that argument, the buffer the one before and the type the one behind.
inline constexpr std::size_t kNoCount = 0;
inline constexpr std::size_t kNoRoot = 0;
template <std::size_t kCount, class Arguments>
void add_copies(const Arguments& arguments) {
  if constexpr (kCount != kNoCount) {
    if (std::get<kCount - 1>(arguments) == MPI_IN_PLACE) return;  // then they may be anything
    CopyTime::add(std::get<kCount>(arguments), std::get<kCount + 1>(arguments));
  }
}

// A call that the library surely refuses on this rank, which then goes on: it has not to wait in front of it.
template <std::size_t kCount, class Arguments>
[[nodiscard]] bool is_refused(const Arguments& arguments) {
  const auto is_no_operation = [](const auto& argument) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(argument)>, MPI_Op>)
      return argument == interpose::handles().no_operation;
    return false;
  };
  if (std::apply([&](const auto&... each) { return (is_no_operation(each) || ...); }, arguments)) return true;
  if constexpr (kCount != kNoCount) {
    return std::get<kCount>(arguments) < 0 || std::get<kCount + 1>(arguments) == interpose::handles().no_type;
  }
  return false;
}

// Whether the library surely takes a call that was not accepted before, where nobody can wait for that inside it.
template <auto kReal, std::size_t kCount, class Arguments>
[[nodiscard]] bool is_tried(const Whom& whom, const Arguments& arguments) {
  const Cooperation* const here = at_work();
  if (here == nullptr || here->trial == nullptr || !is_sure<kReal, kCount>(arguments)) return false;
  if constexpr (kCount != kNoCount) {
    return whom.kind() != Whom::Kind::everybody || here->trial->template takes<kReal, kCount>(arguments);
  }
  return true;
}

// meet(taken): by what is known of such calls.
template <auto kReal, std::size_t kCount, std::size_t kRoot, class Meet, class... A>
int call_met(const Whom& whom, const Meet& meet, A... a) {
  using Before = Accepted<kReal, kCount, kRoot>;
  const std::tuple<A...> arguments(a...);
  const bool counts = whom.kind() != Whom::Kind::uncounted;
  const std::uint64_t key = counts ? Before::key_of_call(arguments) : 0;
  const bool is_known = !counts || Before::knows(key);
  const bool is_taken = is_known || is_tried<kReal, kCount>(whom, arguments);
  Meeting* const meeting = meet(is_taken ? Meeting::Taken::surely : Meeting::Taken::perhaps);
  if (meeting != nullptr) add_copies<kCount>(arguments);  // between two groups they may be anything
  if constexpr (kCanBePosted<kReal, std::tuple<A...>>) {
    if (meeting != nullptr && meeting->laid_kind() != 0 && kPosted<kReal>(arguments).take(*meeting)) return MPI_SUCCESS;
  }
  const int code = call_collective<kReal>(meeting, a...);
  const bool is_whole = !Before::template has_arrays<A...>() || whom.kind() == Whom::Kind::everybody_if_all_give;
  if (!is_known && is_whole && code == MPI_SUCCESS) Before::note(key);
  return code;
}

// What this rank lays down in front of a call that the library surely takes.
template <auto kReal, class Arguments>
[[nodiscard]] Board::Part part_of(std::uint64_t key, Meeting::Taken taken, const Arguments& arguments) {
  if constexpr (kCanBePosted<kReal, Arguments>) {
    if (taken != Meeting::Taken::surely) return {};
    if (Meeting* const meeting = find_board(key)) return kPosted<kReal>(arguments).part(*meeting);
  }
  return {};
}

// The communicator is that argument. kWhom: of the call's arguments.
template <auto kReal, auto kWhom, std::size_t kAt, std::size_t kCount = kNoCount, std::size_t kRoot = kNoRoot>
struct Meets;
template <class... A, int (*kReal)(A...), auto kWhom, std::size_t kAt, std::size_t kCount, std::size_t kRoot>
struct Meets<kReal, kWhom, kAt, kCount, kRoot> {
  static int call(A... a) {
    const std::tuple<A...> arguments(a...);
    const Whom whom = kWhom(arguments);
    if (whom.kind() == Whom::Kind::everybody && is_refused<kCount>(arguments))
      return call_collective<kReal>(nullptr, a...);
    bool has_met = false;
    const auto meet = [&](Meeting::Taken taken) {
      const std::uint64_t key = key_of(std::get<kAt>(arguments));
      Meeting* const meeting = meet_before(key, whom, taken, part_of<kReal>(key, taken, arguments));
      has_met = meeting != nullptr;
      return meeting;
    };
    const int code = call_met<kReal, kCount, kRoot>(whom, meet, a...);
    const MPI_Comm communicator = communicator_of(arguments);
    return has_met || !learns(whom, arguments) ? code : learn_behind(communicator, code);
  }
  static int inside(A... a) {
    if (interpose::inner_call_is_the_mpis()) return kReal(a...);
    const std::tuple<A...> arguments(a...);
    const Whom whom = kWhom(arguments);
    const int code = call_from_inside<kReal>(come_from_inside(key_of(std::get<kAt>(arguments)), whom), a...);
    const MPI_Comm communicator = communicator_of(arguments);
    return learns(whom, arguments) ? learn_behind(communicator, code) : code;
  }

 private:
  [[nodiscard]] static MPI_Comm communicator_of(const std::tuple<A...>& arguments) { return std::get<kAt>(arguments); }
  // What all do alike; of a file that is not opened ranks may be told different reasons. Where counts say whether all give something it is worth
  // that for little data alone, which ranks then lay on their board: else some have no meeting to wait at that crowded ranks do better without.
  [[nodiscard]] static bool learns(const Whom& whom, const std::tuple<A...>& arguments) {
    constexpr bool kOpensFile = std::is_same_v<std::tuple_element_t<sizeof...(A) - 1, std::tuple<A...>>, MPI_File*>;
    if (kOpensFile || whom.kind() == Whom::Kind::everybody) return !kOpensFile;
    if constexpr (kIsGather<kReal, std::tuple<A...>>) {
      const MPI_Comm communicator = communicator_of(arguments);
      int size = 0;
      return whom.kind() == Whom::Kind::everybody_if_all_give && is_new(communicator) &&
             real::MPI_Comm_size(communicator, &size) == MPI_SUCCESS && whom.all_give(size) &&
             kPosted<kReal>(arguments).is_little(static_cast<std::size_t>(size));
    }
    return false;
  }
};

inline constexpr auto kEverybody = [](const auto& /*arguments*/) { return Whom::everybody(); };
inline constexpr auto kUncounted = [](const auto& /*arguments*/) { return Whom::uncounted(); };

// The window is that argument.
template <auto kReal, auto kWhom, std::size_t kAt>
struct MeetsKnown;
template <class... A, int (*kReal)(A...), auto kWhom, std::size_t kAt>
struct MeetsKnown<kReal, kWhom, kAt> {
  static int call(A... a) {
    const std::tuple<A...> arguments(a...);
    const Whom whom = kWhom(arguments);
    const auto meet = [&](Meeting::Taken taken) { return meet_before(key_of(std::get<kAt>(arguments)), whom, taken); };
    return call_met<kReal, kNoCount, kNoRoot>(whom, meet, a...);
  }
  static int inside(A... a) {
    if (interpose::inner_call_is_the_mpis()) return kReal(a...);
    const std::tuple<A...> arguments(a...);
    return call_from_inside<kReal>(come_from_inside(key_of(std::get<kAt>(arguments)), kWhom(arguments)), a...);
  }
};

// Makes a window, the last argument, of the ranks of a communicator: others may want something of this rank then that it does not hear of.
template <auto kReal, std::size_t kAt>
struct Makes;
template <class... A, int (*kReal)(A...), std::size_t kAt>
struct Makes<kReal, kAt> {
  static int call(A... a) { return make(Meets<kReal, kEverybody, kAt>::call, a...); }
  static int inside(A... a) {
    return interpose::inner_call_is_the_mpis() ? kReal(a...) : make(Meets<kReal, kEverybody, kAt>::inside, a...);
  }

 private:
  static int make(int (*how)(A...), A... a) {
    const std::tuple<A...> arguments(a...);
    if (Cooperation* const here = at_work(); here != nullptr) here->peers.may_answer();
    const int code = how(a...);
    if (code == MPI_SUCCESS) learn_as(key_of(*std::get<sizeof...(A) - 1>(arguments)), std::get<kAt>(arguments));
    return code;
  }
};

// Ends a communicator or window. Communicators wait for nobody there. One that the library does not end is met at again.
enum class AtTheEnd : std::uint8_t { meet, part };
template <auto kReal, AtTheEnd kHow>
struct Ends;
template <class Handle, int (*kReal)(Handle*), AtTheEnd kHow>
struct Ends<kReal, kHow> {
  static int call(Handle* handle) {
    if (handle == nullptr) return call_collective<kReal>(nullptr, handle);
    const std::uint64_t key = key_of(*handle);
    Meeting* meeting = nullptr;
    if constexpr (kHow == AtTheEnd::meet) meeting = meet_before(key, Whom::everybody(), taken_at_the_end());
    return end(call_collective<kReal, Handle*>, key, meeting, handle);
  }
  // Whoever ends it: its handle may come back as another one's.
  static int inside(Handle* handle) {
    if (handle == nullptr) return kReal(handle);
    const std::uint64_t key = key_of(*handle);
    Meeting* meeting = nullptr;
    if constexpr (kHow == AtTheEnd::meet) meeting = come_from_inside(key, Whom::everybody());
    return end(call_from_inside<kReal, Handle*>, key, meeting, handle);
  }

 private:
  static int end(int (*how)(Meeting*, Handle*), std::uint64_t key, Meeting* meeting, Handle* handle) {
    Arrivals::Kept kept = forget(key);
    const int code = how(meeting, handle);
    if (is_refusal(code)) remember(std::move(kept));
    return code;
  }
};

}  // namespace comity::coop
