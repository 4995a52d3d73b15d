// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/type_size.hpp"

#include <array>
#include <atomic>
#include <functional>

#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::interpose {
namespace {

struct Remembered {
  MPI_Datatype type;
  std::uint32_t age;
  std::uint64_t bytes;
};

constexpr std::size_t kRemembered = 8;
constinit std::atomic<std::uint32_t> age{1};  // grows when a type is freed
constinit thread_local std::array<Remembered, kRemembered> remembered __attribute__((tls_model("initial-exec"))){};

// Handles are addresses, or numbers that differ in their last bits and hold the size in the byte before.
std::size_t place_of(MPI_Datatype type) {
  const std::size_t handle = std::hash<MPI_Datatype>{}(type);
  return ((handle >> 8U) ^ (handle >> 4U) ^ handle) % kRemembered;
}

// A size that the type does not have (MPI_UNDEFINED, a null handle of a rank that gives nothing) counts as none.
std::uint64_t ask(MPI_Datatype type) {
  if (type == handles().no_type) return 0;
  MPI_Count bytes = 0;
  real::MPI_Type_size_x(type, &bytes);
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

}  // namespace

std::uint64_t size_of(MPI_Datatype type) {
  const std::uint32_t now = age.load(std::memory_order_acquire);
  Remembered& place = remembered[place_of(type)];
  if (place.type != type || place.age != now) place = {type, now, ask(type)};
  return place.bytes;
}

void forget_type() { age.fetch_add(1, std::memory_order_release); }

std::uint64_t received_bytes(const MPI_Status& status) {
  MPI_Count bytes = 0;
  real::MPI_Get_elements_x(&status, handles().byte, &bytes);
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

}  // namespace comity::interpose
