// SPDX-License-Identifier: BSD-3-Clause
// Trial: whether the library takes a collective, asked before any rank is told that this one has come to it: the call as it stands, but for no
// elements and on a communicator of this rank alone. So it judges the type, the operation, and whether they fit; not the buffers, nor
// what stands in arrays. Where a rank can sleep inside the library's call it tells nobody before that has taken it, and needs no trial.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <mutex>
#include <tuple>

namespace comity::coop {

class Trial {
 public:
  // Its communicator is for good. Throws Status::mpi.
  Trial();

  // The count is that argument, what each rank sends the second one where that is another, and the communicator the last.
  template <auto kReal, std::size_t kCount, class... A>
  [[nodiscard]] bool takes(std::tuple<A...> arguments) {
    std::get<kCount>(arguments) = 0;
    if constexpr (kCount == kBehindSent) std::get<1>(arguments) = 0;
    std::get<sizeof...(A) - 1>(arguments) = alone_;
    const std::lock_guard one_at_a_time(mutex_);
    return std::apply(kReal, arguments) == MPI_SUCCESS;
  }

 private:
  static constexpr std::size_t kBehindSent = 4;  // buffer, count and type sent, then buffer, count and type received

  MPI_Comm alone_;
  std::mutex mutex_;
};

}  // namespace comity::coop
