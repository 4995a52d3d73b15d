// SPDX-License-Identifier: BSD-3-Clause
// Sure: calls that the library surely takes, by what it looks at before it begins. Asked where ranks would see this one come before the library
// has seen the call (Trial) and no such call was accepted before. Not: what it surely refuses (is_refused). Who cannot be sure spins in
// the library instead of sleeping in front of it, so it matters for what programs do often.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::coop {

// Of a collective's buffers: there is something, and what is sent lies apart from what is received.
class ApartBuffers {
 public:
  // Sent, received, count, type; what each receives from all.
  template <class Arguments>
  [[nodiscard]] static bool of_reduction(const Arguments& arguments) {
    const void* const sent = std::get<0>(arguments);
    const void* const received = std::get<1>(arguments);
    return are_some(sent, received) && sent != received;
  }
  // Sent, count, type, received, count, type, communicator.
  template <class Arguments>
  [[nodiscard]] static bool of_exchange(const Arguments& arguments) {
    const void* const sent = std::get<0>(arguments);
    const void* const received = std::get<3>(arguments);
    if (!are_some(sent, received)) return false;
    if (sent == MPI_IN_PLACE) return true;
    MPI_Aint begin = 0, extent = 0;
    int size = 0;
    if (interpose::real::MPI_Type_get_extent(std::get<5>(arguments), &begin, &extent) != MPI_SUCCESS) return false;
    if (interpose::real::MPI_Comm_size(std::get<6>(arguments), &size) != MPI_SUCCESS) return false;
    const auto from = reinterpret_cast<std::intptr_t>(received), at = reinterpret_cast<std::intptr_t>(sent);
    const std::intptr_t bytes = static_cast<std::intptr_t>(extent) * std::get<4>(arguments) * size;
    return at < std::min(from, from + bytes) || at > std::max(from, from + bytes);
  }

 private:
  [[nodiscard]] static bool are_some(const void* sent, const void* received) {
    return sent != nullptr && received != nullptr && received != MPI_IN_PLACE;
  }
};

// Of what is made, by all its arguments but the last one, where it comes to be.
template <auto kReal>
inline constexpr auto kMakes = [](const auto&... /*arguments*/) { return false; };

template <>
inline constexpr auto kMakes<interpose::real::MPI_Comm_dup> = [](MPI_Comm /*of*/) { return true; };
template <>
inline constexpr auto kMakes<interpose::real::MPI_Comm_split> =
    [](MPI_Comm /*of*/, int color, int /*key*/) { return color >= 0 || color == MPI_UNDEFINED; };
template <>
inline constexpr auto kMakes<interpose::real::MPI_Comm_split_type> =
    [](MPI_Comm /*of*/, int type, int /*key*/, MPI_Info /*info*/) {
      return type == MPI_COMM_TYPE_SHARED || type == MPI_UNDEFINED;
    };
template <>
inline constexpr auto kMakes<interpose::real::MPI_Cart_create> =
    [](MPI_Comm of, int dimensions, const int* extents, const int* periodic, int /*reorder*/) {
      int size = 0;
      if (dimensions < 0 || extents == nullptr || periodic == nullptr) return false;
      if (interpose::real::MPI_Comm_size(of, &size) != MPI_SUCCESS) return false;
      std::int64_t cells = 1;
      for (int i = 0; i < dimensions && cells <= size; ++i) {
        if (extents[i] <= 0) return false;
        cells *= extents[i];
      }
      return cells <= size;
    };
inline constexpr auto kMakesWindow = [](const auto& size, const auto& unit) { return size >= 0 && unit > 0; };
template <>
inline constexpr auto kMakes<interpose::real::MPI_Win_create> =
    [](void* base, MPI_Aint size, int unit, MPI_Info /*info*/, MPI_Comm /*of*/) {
      return kMakesWindow(size, unit) && (base != nullptr || size == 0);
    };
template <>
inline constexpr auto kMakes<interpose::real::MPI_Win_allocate> =
    [](MPI_Aint size, int unit, MPI_Info /*info*/, MPI_Comm /*of*/, void* base) {
      return kMakesWindow(size, unit) && base != nullptr;
    };
template <>
inline constexpr auto kMakes<interpose::real::MPI_Win_allocate_shared> = kMakes<interpose::real::MPI_Win_allocate>;
template <>
inline constexpr auto kMakes<interpose::real::MPI_Win_create_dynamic> =
    [](MPI_Info /*info*/, MPI_Comm /*of*/) { return true; };
template <>
inline constexpr auto kMakes<interpose::real::MPI_File_open> = [](MPI_Comm /*of*/, const char* name, int mode,
                                                                  MPI_Info /*info*/) {
  constexpr int kMakesOne = MPI_MODE_CREATE | MPI_MODE_EXCL;
  const int access = mode & (MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY);
  const bool is_one =
      access == MPI_MODE_RDWR || access == MPI_MODE_WRONLY || (access == MPI_MODE_RDONLY && (mode & kMakesOne) == 0);
  return name != nullptr && is_one && (access != MPI_MODE_RDWR || (mode & MPI_MODE_SEQUENTIAL) == 0);
};

template <auto kReal, std::size_t kCount, class... A>
[[nodiscard]] bool is_sure(const std::tuple<A...>& arguments) {
  using Last = std::tuple_element_t<sizeof...(A) - 1, std::tuple<A...>>;
  if constexpr (kCount == 2) {
    return ApartBuffers::of_reduction(arguments);
  } else if constexpr (kCount == 4 && sizeof...(A) == 7) {  // without a root
    return ApartBuffers::of_exchange(arguments);
  } else if constexpr (std::is_pointer_v<Last>) {
    const auto makes = [&]<std::size_t... kAt>(std::index_sequence<kAt...> /*all but the last*/) {
      return kMakes<kReal>(std::get<kAt>(arguments)...);
    };
    return std::get<sizeof...(A) - 1>(arguments) != nullptr && makes(std::make_index_sequence<sizeof...(A) - 1>());
  } else {
    return false;
  }
}
// A fence's assertions; the window is one that was made.
template <>
inline bool is_sure<interpose::real::MPI_Win_fence, 0>(const std::tuple<int, MPI_Win>& arguments) {
  constexpr int kAll = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
  return (std::get<0>(arguments) & ~kAll) == 0;
}

}  // namespace comity::coop
