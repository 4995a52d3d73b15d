// SPDX-License-Identifier: BSD-3-Clause
// Cooperator: the subscriber by which waits in MPI give the core away. Door of this part.
#pragma once

#include "interpose/subscriber.hpp"
#include "node/node.hpp"

namespace comity::coop {

class Cooperator final : public interpose::Subscriber {
 public:
  explicit Cooperator(node::AttachOptions options) : options_(std::move(options)) {}
  virtual ~Cooperator() = default;

  [[nodiscard]] interpose::Depth depth(const interpose::Facts& facts) const noexcept override;
  [[nodiscard]] interpose::Replacement replacement(const interpose::Facts& facts) const noexcept override;
  [[nodiscard]] bool announces(const interpose::Facts& facts) const noexcept override;
  void before(const interpose::Call& call) noexcept override;   // of one that waits in the library as it is
  void after(const interpose::Event& event) noexcept override;  // that one, or the end of MPI_Init

 private:
  void join();
  static void end_of_library_wait();

  node::AttachOptions options_;
};

}  // namespace comity::coop
