// SPDX-License-Identifier: BSD-3-Clause
// MpiObjectTracker: tells of each object of MPI that the program makes or ends. Not: what is kept of it (mpi_objects).
#pragma once

#include "interpose/subscriber.hpp"
#include "memory/rank/mpi_objects.hpp"

namespace comity::memory {

class MpiObjectTracker final : public interpose::Subscriber {
 public:
  explicit MpiObjectTracker(MpiObjects& objects) : objects_(objects) {}
  virtual ~MpiObjectTracker() = default;

  [[nodiscard]] interpose::Depth depth(const interpose::Facts& facts) const noexcept override;
  void changed(const interpose::ObjectChange& change) noexcept override;

 private:
  MpiObjects& objects_;
};

}  // namespace comity::memory
