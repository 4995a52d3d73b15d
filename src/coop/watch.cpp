// SPDX-License-Identifier: BSD-3-Clause
#include "coop/watch.hpp"

#include <algorithm>

namespace comity::coop {

bool Watch::take() {
  if (!is_open() || mine_ != nullptr || is_taken_.exchange(true, std::memory_order_acquire)) return false;
  count_ = 0;
  any_is_ready_ = false;
  is_new_look_ = true;
  mine_ = this;
  return true;
}

void Watch::give_back() {
  mine_ = nullptr;
  is_taken_.store(false, std::memory_order_release);
}

// Some libraries go on for many rounds between two calls of ours: who asks about the first one again looks again.
bool Watch::begins_look(std::span<const pollfd> asked) const {
  return is_new_look_ || (count_ > 0 && !asked.empty() && asked.front().fd == found_[1].fd);
}

void Watch::add(std::span<const pollfd> asked, bool any_is_ready) {
  if (begins_look(asked)) {
    count_ = 0;
    is_whole_ = true;
    any_is_ready_ = false;
    is_new_look_ = false;
  }
  any_is_ready_ = any_is_ready_ || any_is_ready;
  const std::size_t first = 1 + count_;
  if (asked.size() > found_.size() - first) {
    is_whole_ = false;
    return;
  }
  std::ranges::copy(asked, found_.begin() + static_cast<std::ptrdiff_t>(first));
  count_ = first - 1 + asked.size();
}

std::span<pollfd> Watch::take_idle() {
  const std::size_t count = count_;
  count_ = 0;
  if (count == 0 || !is_whole_ || any_is_ready_) return {};
  return std::span(found_).first(1 + count);
}

}  // namespace comity::coop
