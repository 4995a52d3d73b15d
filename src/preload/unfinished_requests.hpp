// SPDX-License-Identifier: BSD-3-Clause
// UnfinishedRequests: requests that the program has started and never completed, told as objects that are left when MPI_Finalize begins, with the
// code that has started them. Who follows messages remembers receives anyway, and of others some. Where nobody follows messages there are none.
#pragma once

#include "interpose/subscriber.hpp"
#include "memory/rank/mpi_objects.hpp"

namespace comity::preload {

class UnfinishedRequests final : public interpose::Subscriber {
 public:
  explicit UnfinishedRequests(memory::MpiObjects& objects) : objects_(objects) {}
  virtual ~UnfinishedRequests() = default;

  [[nodiscard]] interpose::Depth depth(const interpose::Facts& facts) const noexcept override;
  [[nodiscard]] bool announces(const interpose::Facts& facts) const noexcept override;
  void before(const interpose::Call& call) noexcept override;

 private:
  memory::MpiObjects& objects_;
};

}  // namespace comity::preload
