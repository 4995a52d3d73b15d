// SPDX-License-Identifier: BSD-3-Clause
// Posted: collectives of little data that ranks of one node make from what all have laid on the board, without the library's own call: its steps would
// wake sleeping ranks for one another many times, where here the last one that comes wakes each once. What each rank gets is what it gets of
// the library, bit for bit: pieces as they are, sums in the library's order (Sums). Not: whether the library takes the call (Accepted, Trial);
// what it may refuse is never laid.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "coop/calls/sums.hpp"
#include "coop/meeting.hpp"
#include "real.hpp"

namespace comity::coop {

// How many calls this process has made so.
[[nodiscard]] std::uint64_t posted_calls();

// Each rank's piece on all of them.
struct PostedGather {
  const void* sent = nullptr;
  std::int64_t sent_count = 0;
  MPI_Datatype sent_type{};
  void* received = nullptr;
  std::int64_t count = 0;       // of each piece, where there are no counts
  const int* counts = nullptr;  // by rank
  const int* places = nullptr;  // the same
  MPI_Datatype type{};

  [[nodiscard]] Board::Part part(Meeting& meeting) const;  // kind 0: the library's own
  [[nodiscard]] bool take(Meeting& meeting) const;         // false: the same
  // Alike on all ranks, for it goes by what each gets of so many.
  [[nodiscard]] bool is_little(std::size_t ranks) const;

 private:
  [[nodiscard]] std::size_t bytes_of(std::size_t rank) const;
  [[nodiscard]] std::byte* piece(std::size_t rank) const;
  [[nodiscard]] bool lies_apart(std::size_t ranks) const;
};

// MPI_Allreduce.
struct PostedSum {
  const void* mine = nullptr;
  void* all = nullptr;
  std::int64_t count = 0;
  MPI_Datatype type{};
  MPI_Op op{};
  MPI_Comm communicator{};

  [[nodiscard]] Board::Part part(Meeting& meeting) const;
  [[nodiscard]] bool take(Meeting& meeting) const;

 private:
  [[nodiscard]] Sum what() const;
};

// The call of a function that can be made so; of others nothing.
template <auto kReal>
inline constexpr auto kPosted = [](const auto& /*arguments*/) { return nullptr; };

inline constexpr auto kPostedSum = [](const auto& arguments) {
  const auto& [mine, all, count, type, op, communicator] = arguments;
  return PostedSum{mine, all, static_cast<std::int64_t>(count), type, op, communicator};
};
inline constexpr auto kPostedGather = [](const auto& arguments) {
  const auto& [sent, sent_count, sent_type, received, count, type, communicator] = arguments;
  return PostedGather{.sent = sent,
                      .sent_count = static_cast<std::int64_t>(sent_count),
                      .sent_type = sent_type,
                      .received = received,
                      .count = static_cast<std::int64_t>(count),
                      .type = type};
};
template <>
inline constexpr auto kPosted<interpose::real::MPI_Allreduce> = kPostedSum;
template <>
inline constexpr auto kPosted<interpose::real::MPI_Allgather> = kPostedGather;
template <>
inline constexpr auto kPosted<interpose::real::MPI_Allgatherv> = [](const auto& arguments) {
  const auto& [sent, sent_count, sent_type, received, counts, places, type, communicator] = arguments;
  return PostedGather{.sent = sent,
                      .sent_count = sent_count,
                      .sent_type = sent_type,
                      .received = received,
                      .counts = counts,
                      .places = places,
                      .type = type};
};
#if MPI_VERSION >= 4
template <>
inline constexpr auto kPosted<interpose::real::MPI_Allreduce_c> = kPostedSum;
template <>
inline constexpr auto kPosted<interpose::real::MPI_Allgather_c> = kPostedGather;
#endif

template <auto kReal, class Arguments>
using PostedCall = decltype(kPosted<kReal>(std::declval<const Arguments&>()));
template <auto kReal, class Arguments>
inline constexpr bool kCanBePosted = !std::is_null_pointer_v<PostedCall<kReal, Arguments>>;
template <auto kReal, class Arguments>
inline constexpr bool kIsGather = std::is_same_v<PostedCall<kReal, Arguments>, PostedGather>;

}  // namespace comity::coop
