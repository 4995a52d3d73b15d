// SPDX-License-Identifier: BSD-3-Clause
// Tracker: has the book glance at memory behind calls of MPI that take a while, make something or end it. Calls that only
// begin something are not looked at: they come in millions a second. Not: what the book makes of it.
#pragma once

#include "interpose/subscriber.hpp"
#include "memory/rank/book.hpp"

namespace comity::memory {

class Tracker final : public interpose::Subscriber {
 public:
  explicit Tracker(Book& book) : book_(book) {}
  virtual ~Tracker() = default;

  [[nodiscard]] interpose::Depth depth(const interpose::Facts& facts) const noexcept override;
  [[nodiscard]] bool announces(const interpose::Facts& facts) const noexcept override;
  void before(const interpose::Call& call) noexcept override;
  void after(const interpose::Event& event) noexcept override;

 private:
  Book& book_;
};

}  // namespace comity::memory
