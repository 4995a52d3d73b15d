// SPDX-License-Identifier: BSD-3-Clause
// Kept: what callers hold by a handle. An object that one thread takes out stays for those who are at work with it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/error.hpp"

namespace comity::capi::record {

template <typename Handle, typename Object>
class Kept {
 public:
  explicit Kept(const char* what) : what_(what) {}

  void put(Handle handle, std::shared_ptr<const Object> object) {
    const std::lock_guard lock(mutex_);
    objects_.insert_or_assign(handle, std::move(object));
  }
  // Both throw Status::handle for one that is not here.
  [[nodiscard]] std::shared_ptr<const Object> at(Handle handle) const {
    const std::lock_guard lock(mutex_);
    return find(handle)->second;
  }
  [[nodiscard]] std::shared_ptr<const Object> take_out(Handle handle) {
    const std::lock_guard lock(mutex_);
    auto taken = objects_.extract(find(handle));
    return std::move(taken.mapped());
  }

 private:
  [[nodiscard]] auto find(Handle handle) const {
    const auto found = objects_.find(handle);
    if (found == objects_.end()) throw Error(Status::handle, what_);
    return found;
  }

  const char* what_;  // the sentence for a handle that is not here
  mutable std::mutex mutex_;
  std::map<Handle, std::shared_ptr<const Object>> objects_;
};

}  // namespace comity::capi::record
