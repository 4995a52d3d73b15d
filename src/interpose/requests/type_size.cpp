// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/requests/type_size.hpp"

#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::interpose {
namespace {

// A size that the type does not have (MPI_UNDEFINED, a null handle of a rank that gives nothing) counts as none.
std::uint64_t ask(MPI_Datatype type) {
  if (type == handles().no_type) return 0;
  MPI_Count bytes = 0;
  real::MPI_Type_size_x(type, &bytes);
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

}  // namespace

constinit std::atomic<std::uint32_t> types_age{1};
constinit thread_local RecentSizes recent_sizes __attribute__((tls_model("initial-exec")));

std::uint64_t learn_size(MPI_Datatype type) {
  const std::uint32_t now = types_age.load(std::memory_order_acquire);
  const std::uint64_t bytes = ask(type);
  recent_sizes.of(type) = {type, now, bytes};
  return bytes;
}

void forget_type() { types_age.fetch_add(1, std::memory_order_release); }

}  // namespace comity::interpose
