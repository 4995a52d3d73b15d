// SPDX-License-Identifier: BSD-3-Clause
// Cooperator: the subscriber by which waits in MPI give the core away. Door of this part.
#pragma once

#include "coop/far_waits.hpp"
#include "coop/party.hpp"
#include "interpose/subscriber.hpp"
#include "node/node.hpp"

namespace comity::coop {

struct Settings {
  Party (*party)() = nullptr;  // asked at the end of MPI_Init
  bool may_share = true;       // ranks that are bound nowhere may be given a share of the cores
  bool may_spread = false;     // the command that started the ranks knows of no binding that the user asked for
  node::AttachOptions node;
  FarBounds far;
};

class Cooperator final : public interpose::Subscriber {
 public:
  explicit Cooperator(Settings settings) : settings_(std::move(settings)) {}
  virtual ~Cooperator() = default;

  [[nodiscard]] interpose::Depth depth(const interpose::Facts& facts) const noexcept override;
  [[nodiscard]] interpose::Replacement replacement(const interpose::Facts& facts) const noexcept override;
  [[nodiscard]] interpose::Replacement replacement_inside(const interpose::Facts& facts) const noexcept override;
  [[nodiscard]] bool announces(const interpose::Facts& facts) const noexcept override;
  void before(const interpose::Call& call) noexcept override;   // of one that waits in the library as it is
  void after(const interpose::Event& event) noexcept override;  // that one, or the end of MPI_Init

 private:
  void join(const Party& party);
  static void end_of_library_wait();

  Settings settings_;
};

}  // namespace comity::coop
