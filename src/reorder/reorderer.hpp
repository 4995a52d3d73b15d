// SPDX-License-Identifier: BSD-3-Clause
// Reorderer: takes the place of MPI's functions that may reorder, from the end of MPI_Init on, if all ranks of the job do.
#pragma once

#include <functional>
#include <utility>

#include "interpose/subscriber.hpp"

namespace comity::reorder {

// Whether this process could: where not, a line says why, and all ranks of the job have to do without.
[[nodiscard]] bool is_possible();

class Reorderer final : public interpose::Subscriber {
 public:
  // `all_do`: asked at the end of MPI_Init, and answered alike on all ranks.
  explicit Reorderer(std::function<bool()> all_do) : all_do_(std::move(all_do)) {}
  virtual ~Reorderer() = default;

  [[nodiscard]] interpose::Depth depth(const interpose::Facts& facts) const noexcept override;
  [[nodiscard]] interpose::Replacement replacement(const interpose::Facts& facts) const noexcept override;
  void after(const interpose::Event& event) noexcept override;

 private:
  std::function<bool()> all_do_;
};

}  // namespace comity::reorder
