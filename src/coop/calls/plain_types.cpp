// SPDX-License-Identifier: BSD-3-Clause
#include "coop/calls/plain_types.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/hash.hpp"
#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::coop {
namespace {

namespace real = interpose::real;
using Numbers = PlainType::Numbers;

constexpr std::array kIntegers = std::to_array<std::string_view>({"MPI_INT",
                                                                  "MPI_LONG",
                                                                  "MPI_LONG_LONG",
                                                                  "MPI_LONG_LONG_INT",
                                                                  "MPI_SHORT",
                                                                  "MPI_UNSIGNED",
                                                                  "MPI_UNSIGNED_LONG",
                                                                  "MPI_UNSIGNED_LONG_LONG",
                                                                  "MPI_UNSIGNED_SHORT",
                                                                  "MPI_INT8_T",
                                                                  "MPI_INT16_T",
                                                                  "MPI_INT32_T",
                                                                  "MPI_INT64_T",
                                                                  "MPI_UINT8_T",
                                                                  "MPI_UINT16_T",
                                                                  "MPI_UINT32_T",
                                                                  "MPI_UINT64_T",
                                                                  "MPI_AINT",
                                                                  "MPI_COUNT",
                                                                  "MPI_OFFSET",
                                                                  "MPI_INTEGER",
                                                                  "MPI_INTEGER4",
                                                                  "MPI_INTEGER8"});
constexpr std::array kFloats = std::to_array<std::string_view>(
    {"MPI_FLOAT", "MPI_DOUBLE", "MPI_REAL", "MPI_REAL4", "MPI_REAL8", "MPI_DOUBLE_PRECISION"});

Numbers numbers_of(std::string_view name, std::size_t bytes) {
  if (std::ranges::find(kIntegers, name) != kIntegers.end()) return Numbers::integers;
  if (std::ranges::find(kFloats, name) == kFloats.end()) return Numbers::others;
  return bytes == sizeof(float) ? Numbers::float32 : bytes == sizeof(double) ? Numbers::float64 : Numbers::others;
}

PlainType look_up(MPI_Datatype type) {
  if (type == interpose::handles().no_type) return {};
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_DUP, bytes = 0, length = 0;
  MPI_Aint begin = 0, extent = 0;
  std::array<char, MPI_MAX_OBJECT_NAME + 1> name{};
  if (real::MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS) return {};
  if (combiner != MPI_COMBINER_NAMED) return {};
  if (real::MPI_Type_size(type, &bytes) != MPI_SUCCESS || bytes <= 0) return {};
  if (real::MPI_Type_get_extent(type, &begin, &extent) != MPI_SUCCESS || begin != 0 || extent != bytes) return {};
  if (real::MPI_Type_get_true_extent(type, &begin, &extent) != MPI_SUCCESS || begin != 0 || extent != bytes) return {};
  if (real::MPI_Type_get_name(type, name.data(), &length) != MPI_SUCCESS || length <= 0) return {};
  const std::string_view words(name.data(), static_cast<std::size_t>(length));
  const auto size = static_cast<std::size_t>(bytes);
  Hash name_of_all;
  name_of_all.add(words);
  return {.name = name_of_all.value() | 1U, .bytes = size, .numbers = numbers_of(words, size)};
}

struct Place {
  MPI_Datatype type{};
  bool is_known = false;
  PlainType plain;
};
constexpr std::size_t kPlaces = 8;
constinit thread_local std::array<Place, kPlaces> places __attribute__((tls_model("initial-exec"))){};
constinit thread_local std::size_t next_place __attribute__((tls_model("initial-exec"))) = 0;

}  // namespace

const PlainType& plain(MPI_Datatype type) {
  for (const Place& place : places) {
    if (place.is_known && place.type == type) return place.plain;
  }
  Place& place = places[next_place++ % kPlaces];
  place = {type, true, look_up(type)};
  return place.plain;
}

}  // namespace comity::coop
