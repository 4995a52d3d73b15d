// SPDX-License-Identifier: BSD-3-Clause
// Tracker: has the book glance at memory behind calls of MPI that take a while, make something or end it. Calls that only
// begin something are not looked at: they come in millions a second. Of local ones that make something, which take no longer than a clock, the
// hooks tell whether memory has come or gone in them. Not: what the book makes of it.
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
  void before_quiet(const interpose::Call& call) noexcept;
  void after_quiet(const interpose::Event& event) noexcept;

  Book& book_;
};

}  // namespace comity::memory
