// SPDX-License-Identifier: BSD-3-Clause
// Accepted: the calls of a collective that the library has accepted from this thread lately. A rank whose call is refused goes on alone, so
// nobody may see it come to that call; what was accepted once will be again. Known by all that the library looks at: handles as they are, counts
// by whether they are negative, 0 or more, a root by its sign (whoever meets looks whether it is one), buffers by whether there is one, and
// whether two are one. What stands in arrays is not looked at, nor whether a handle is of another thing by now: others may have seen such
// a call when it is taken back (Meeting::end).
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace comity::coop {

template <auto kReal, std::size_t kCount, std::size_t kRoot>
class Accepted {
 public:
  template <class Arguments>
  [[nodiscard]] static std::uint64_t key_of_call(const Arguments& arguments) {
    return std::apply([](const auto&... each) { return Key().of(each...); }, arguments);
  }
  [[nodiscard]] static bool knows(std::uint64_t key) { return std::ranges::find(known_, key) != known_.end(); }
  // Whether arguments are arrays, or names, of which the key has the address alone.
  template <class... A>
  [[nodiscard]] static constexpr bool has_arrays() {
    return (is_array<A>() || ...);
  }
  static void note(std::uint64_t key) {
    if (!knows(key)) known_[next_++ % known_.size()] = key;
  }

 private:
  // The count that the call is known by, and what each rank of a gather or a scatter sends.
  static constexpr bool is_count(std::size_t place) {
    return kCount != 0 && (place == kCount || (place == 1 && kCount == 4));
  }

  template <class Argument>
  static constexpr bool is_buffer() {
    return std::is_same_v<std::remove_cv_t<std::remove_pointer_t<Argument>>, void>;
  }
  template <class Argument>
  static constexpr bool is_array() {
    return std::is_pointer_v<Argument> && std::is_const_v<std::remove_pointer_t<Argument>> && !is_buffer<Argument>();
  }

  class Key {
   public:
    template <class... A>
    std::uint64_t of(const A&... each) {
      (add(each), ...);
      return bits_;
    }

   private:
    template <class Argument>
    void add(Argument argument) {
      const std::size_t place = place_++;
      if constexpr (is_buffer<Argument>()) {
        add_buffer(reinterpret_cast<std::uintptr_t>(argument));
      } else if constexpr (std::is_pointer_v<Argument>) {
        mix(reinterpret_cast<std::uintptr_t>(argument));
      } else {
        const std::uint64_t sign = std::uint64_t{argument < 0} << 1U | std::uint64_t{argument == 0};
        const bool is_root = kRoot != 0 && place == kRoot;
        mix(is_count(place) ? sign : is_root ? sign >> 1U : static_cast<std::uint64_t>(argument));
      }
    }
    void add_buffer(std::uintptr_t buffer) {
      const auto in_place = reinterpret_cast<std::uintptr_t>(MPI_IN_PLACE);
      constexpr std::uint64_t kNone = 0, kInPlace = 1, kSame = 2, kOther = 3;
      mix(buffer == 0 ? kNone : buffer == in_place ? kInPlace : buffer == before_ ? kSame : kOther);
      before_ = buffer;
    }
    void mix(std::uint64_t value) { bits_ = (std::rotl(bits_, 23) ^ value) * 0x9e3779b97f4a7c15U; }

    std::uint64_t bits_ = 1;
    std::uintptr_t before_ = 0;
    std::size_t place_ = 0;
  };

  static constexpr std::size_t kEntries = 8;
  static inline constinit thread_local std::array<std::uint64_t, kEntries> known_
      __attribute__((tls_model("initial-exec"))){};
  static inline constinit thread_local std::size_t next_ __attribute__((tls_model("initial-exec"))) = 0;
};

}  // namespace comity::coop
