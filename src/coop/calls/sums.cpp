// SPDX-License-Identifier: BSD-3-Clause
#include "coop/calls/sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "coop/calls/plain_types.hpp"
#include "coop/fold.hpp"
#include "coop/library/library_wait.hpp"
#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::coop {
namespace {

namespace real = interpose::real;

// Each tells apart most orders that differ anywhere; together all.
constexpr int kTrials = 12;

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(mixed(seed)) {}  // neighbours have nothing in common
  std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15U); }

 private:
  static std::uint64_t mixed(std::uint64_t word) {  // as splitmix64 does
    word = (word ^ word >> 30U) * 0xbf58476d1ce4e5b9U;
    word = (word ^ word >> 27U) * 0x94d049bb133111ebU;
    return word ^ word >> 31U;
  }

  std::uint64_t state_;
};

// Of like size in even trials and of sizes far apart in odd ones; in every fourth some are no numbers, whose bits tell which came first.
template <class Float>
Float draw(Numbers& numbers, int trial) {
  const std::uint64_t word = numbers.next();
  if (trial % 4 == 3 && word % 8 == 0) {
    return std::copysign(std::numeric_limits<Float>::quiet_NaN(), word % 16 == 0 ? Float{1} : Float{-1});
  }
  const Float part = static_cast<Float>(word >> 12U) / static_cast<Float>(std::uint64_t{1} << 52U) + Float{0.5};
  const int widest = trial % 2 == 0 ? 1 : 24;
  const int exponent = static_cast<int>(numbers.next() % static_cast<std::uint64_t>(2 * widest + 1)) - widest;
  return std::copysign(std::ldexp(part, exponent), word % 2 == 0 ? Float{1} : Float{-1});
}

template <class Float>
void draw_all(Numbers& numbers, int trial, std::span<std::byte> bytes) {
  for (std::size_t at = 0; at + sizeof(Float) <= bytes.size(); at += sizeof(Float)) {
    const Float drawn = draw<Float>(numbers, trial);
    std::memcpy(&bytes[at], &drawn, sizeof(Float));
  }
}

// The same on all ranks.
void draw_given(const Sum& sum, int trial, std::size_t rank, std::span<std::byte> bytes) {
  Numbers numbers(static_cast<std::uint64_t>(trial) << 32U | rank);
  switch (plain(sum.type).numbers) {
    case PlainType::Numbers::float64:
      return draw_all<double>(numbers, trial, bytes);
    case PlainType::Numbers::float32:
      return draw_all<float>(numbers, trial, bytes);
    default:
      std::ranges::generate(bytes, [&] { return static_cast<std::byte>(numbers.next()); });
  }
}

// Returns whether the library has refused nothing.
template <class Given>
bool fold(Order order, const Sum& sum, std::size_t ranks, std::size_t me, Given given, std::span<std::byte> result) {
  bool is_good = true;
  const auto combine = [&](const std::byte* in, std::byte* inout, std::size_t elements) {
    const int code = real::MPI_Reduce_local(in, inout, static_cast<int>(elements), sum.type, sum.op);
    is_good = is_good && code == MPI_SUCCESS;
  };
  Fold(order, ranks, sum.bytes / static_cast<std::size_t>(sum.count), given, combine).of(me, result);
  return is_good;
}

int by_the_library(Meeting& meeting, const void* mine, void* result, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm communicator) {
  int code = MPI_SUCCESS;
  {
    [[maybe_unused]] const LibraryWait waits(node::Hears::everything, &meeting);
    code = real::MPI_Allreduce(mine, result, count, type, op, communicator);
  }
  meeting.leave(/*refused=*/false);
  return code;
}

constexpr std::array kKnown{Order::other_first, Order::lower_first, Order::halves};

// Which of the known orders give what the library gives, a bit each.
int fitting(Meeting& meeting, const Sum& sum) {
  const auto ranks = static_cast<std::size_t>(meeting.size()), me = static_cast<std::size_t>(meeting.rank());
  std::vector<std::byte> given(ranks * sum.bytes), made(sum.bytes), expected(sum.bytes);
  const auto of = [&](std::size_t rank) { return given.data() + rank * sum.bytes; };
  int fit = (1 << kKnown.size()) - 1;
  for (int trial = 0; trial < kTrials; ++trial) {
    for (std::size_t rank = 0; rank < ranks; ++rank) draw_given(sum, trial, rank, {of(rank), sum.bytes});
    const int code = by_the_library(meeting, of(me), made.data(), sum.count, sum.type, sum.op, sum.communicator);
    if (code != MPI_SUCCESS) fit = 0;  // and on: the others do all trials
    for (std::size_t order = 0; order < kKnown.size(); ++order) {
      const bool is_good = fold(kKnown[order], sum, ranks, me, of, expected);
      if (!is_good || expected != made) fit &= ~(1 << order);
    }
  }
  return fit;
}

}  // namespace

std::uint64_t number_of_operation(MPI_Op op) {
  const auto& known = interpose::handles().reductions;
  const auto found = std::ranges::find(known, op);
  return found == known.end() ? 0 : static_cast<std::uint64_t>(found - known.begin()) + 1;
}

Order find_order(Meeting& meeting, const Sum& sum) {
  const int mine = fitting(meeting, sum);
  int fit = 0;
  const interpose::Handles& handles = interpose::handles();
  const int code = by_the_library(meeting, &mine, &fit, 1, handles.integer, handles.reductions[interpose::kBitwiseAnd],
                                  sum.communicator);
  if (code != MPI_SUCCESS) return Order::another;
  for (std::size_t order = 0; order < kKnown.size(); ++order) {
    if ((fit >> order & 1) != 0) return kKnown[order];
  }
  return Order::another;
}

bool sum_up(const Meeting& meeting, Order order, const Sum& sum, std::span<std::byte> result) {
  const auto given = [&](std::size_t rank) { return meeting.given_by(static_cast<int>(rank)).data(); };
  return fold(order, sum, static_cast<std::size_t>(meeting.size()), static_cast<std::size_t>(meeting.rank()), given,
              result);
}

}  // namespace comity::coop
