// SPDX-License-Identifier: BSD-3-Clause
// C++ over the groups of quiesce.h; waiting is a call of Context (comity.hpp).
#pragma once

#include <comity/quiesce.h>

#include <comity/failure.hpp>
#include <cstdint>
#include <utility>

namespace comity {

// Some ranks of this node that wait for one another.
class Group {
 public:
  explicit Group(comity_group* group) : group_(group) {}
  Group(Group&& other) noexcept : group_(std::exchange(other.group_, nullptr)) {}
  Group& operator=(Group&& other) noexcept {
    std::swap(group_, other.group_);
    return *this;
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() { (void)comity_group_free(&group_); }

  [[nodiscard]] int rank() const { return rank_and_size().first; }
  [[nodiscard]] int size() const { return rank_and_size().second; }
  [[nodiscard]] comity_group* handle() const { return group_; }

 private:
  [[nodiscard]] std::pair<int, int> rank_and_size() const {
    std::int32_t rank = 0, size = 0;
    check(comity_group_rank(group_, &rank, &size));
    return {rank, size};
  }

  comity_group* group_;
};

}  // namespace comity
