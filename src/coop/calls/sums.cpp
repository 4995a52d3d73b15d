// SPDX-License-Identifier: BSD-3-Clause
#include "coop/calls/sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>

#include "base/hash.hpp"
#include "coop/calls/plain_types.hpp"
#include "coop/fold.hpp"
#include "coop/library/library_wait.hpp"
#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::coop {
namespace {

namespace real = interpose::real;

// In the first one all are no numbers, each rank's another one: which of them comes out tells an order from each other one that is known here. In the
// others some are, and numbers of like size or of sizes far apart, which come out otherwise in most other orders.
constexpr int kTrials = 12;

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(mixed(seed)) {}
  std::uint64_t next() { return state_ = mixed(state_); }

 private:
  std::uint64_t state_;
};

template <class Float>
struct Format;
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr Bits kNoNumber = 0x7ff8000000000000U;
};
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr Bits kNoNumber = 0x7fc00000U;
};

template <class Float>
Float draw(Numbers& numbers, int trial, std::size_t rank) {
  const std::uint64_t word = numbers.next();
  if (trial == 0 || (trial % 3 == 0 && word % 4 == 0)) {
    using Bits = typename Format<Float>::Bits;
    return std::bit_cast<Float>(static_cast<Bits>(Format<Float>::kNoNumber | (static_cast<Bits>(rank) + 1)));
  }
  const Float part = static_cast<Float>(word >> 12U) / static_cast<Float>(std::uint64_t{1} << 52U) + Float{0.5};
  const int widest = trial % 2 == 0 ? 1 : 24;
  const int exponent = static_cast<int>(numbers.next() % static_cast<std::uint64_t>(2 * widest + 1)) - widest;
  return std::copysign(std::ldexp(part, exponent), word % 2 == 0 ? Float{1} : Float{-1});
}

template <class Float>
void draw_all(Numbers& numbers, int trial, std::size_t rank, std::span<std::byte> bytes) {
  for (std::size_t at = 0; at + sizeof(Float) <= bytes.size(); at += sizeof(Float)) {
    const Float drawn = draw<Float>(numbers, trial, rank);
    std::memcpy(&bytes[at], &drawn, sizeof(Float));
  }
}

// The same on all ranks.
void draw_given(const Sum& sum, int trial, std::size_t rank, std::span<std::byte> bytes) {
  Numbers numbers(static_cast<std::uint64_t>(trial) << 32U | rank);
  switch (plain(sum.type).numbers) {
    case PlainType::Numbers::float64:
      return draw_all<double>(numbers, trial, rank, bytes);
    case PlainType::Numbers::float32:
      return draw_all<float>(numbers, trial, rank, bytes);
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

// As elements of any type want it; nothing is allocated, for a rank that could not would leave the others in a trial.
struct alignas(std::max_align_t) Room {
  std::array<std::byte, Board::kMostBytes> bytes;
};

// Which of the known orders give what the library gives, a bit each.
unsigned fitting(Meeting& meeting, const Sum& sum) {
  const auto ranks = static_cast<std::size_t>(meeting.size()), me = static_cast<std::size_t>(meeting.rank());
  Room drawn, mine, made, expected;
  const auto part = [&](Room& room) { return std::span(room.bytes).first(sum.bytes); };
  unsigned fit = (1U << kKnown.size()) - 1;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto given = [&](std::size_t rank) {
      draw_given(sum, trial, rank, part(drawn));
      return drawn.bytes.data();
    };
    draw_given(sum, trial, me, part(mine));
    const int code =
        by_the_library(meeting, mine.bytes.data(), made.bytes.data(), sum.count, sum.type, sum.op, sum.communicator);
    if (code != MPI_SUCCESS) fit = 0;  // and on: the others do all trials
    for (std::size_t order = 0; order < kKnown.size(); ++order) {
      const bool is_good = fold(kKnown[order], sum, ranks, me, given, part(expected));
      if (!is_good || !std::ranges::equal(part(expected), part(made))) fit &= ~(1U << order);
    }
  }
  return fit;
}

// Integers come out alike in any. Of two others that no trial has told apart one may be wrong.
Order only_one(unsigned fit, PlainType::Numbers numbers) {
  if (fit == 0 || (numbers != PlainType::Numbers::integers && !std::has_single_bit(fit))) return Order::another;
  return kKnown[static_cast<std::size_t>(std::countr_zero(fit))];
}

// The program's flags of floating-point exceptions stay as they are meanwhile, and none ends it.
class Untroubled {
 public:
  Untroubled() { std::feholdexcept(&before_); }
  ~Untroubled() { std::fesetenv(&before_); }
  Untroubled(const Untroubled&) = delete;
  Untroubled& operator=(const Untroubled&) = delete;

 private:
  std::fenv_t before_{};
};

}  // namespace

std::uint64_t number_of_operation(MPI_Op op) {
  const auto& known = interpose::handles().reductions;
  const auto found = std::ranges::find(known, op);
  return found == known.end() ? 0 : static_cast<std::uint64_t>(found - known.begin()) + 1;
}

Order find_order(Meeting& meeting, const Sum& sum) {
  const Untroubled untroubled;
  const auto mine = static_cast<int>(fitting(meeting, sum));
  int fit = 0;
  const interpose::Handles& handles = interpose::handles();
  const int code = by_the_library(meeting, &mine, &fit, 1, handles.integer, handles.reductions[interpose::kBitwiseAnd],
                                  sum.communicator);
  return code == MPI_SUCCESS ? only_one(static_cast<unsigned>(fit), plain(sum.type).numbers) : Order::another;
}

bool sum_up(const Meeting& meeting, Order order, const Sum& sum, std::span<std::byte> result) {
  const auto given = [&](std::size_t rank) { return meeting.given_by(static_cast<int>(rank)).data(); };
  return fold(order, sum, static_cast<std::size_t>(meeting.size()), static_cast<std::size_t>(meeting.rank()), given,
              result);
}

}  // namespace comity::coop
