// SPDX-License-Identifier: BSD-3-Clause
// Regions: the program's own names for its parts, as paths ("step/solve"), each a number. Of all threads; bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/held_mutex.hpp"

namespace comity::metrics {

using Region = std::uint16_t;

inline constexpr Region kWholeRun = 0;

class Regions {
 public:
  static constexpr std::size_t kMost = 1000;  // a program that makes names of numbers has more

  Regions() : paths_{"(run)"} {}

  // The region of that name inside another one; where there are too many, one that stands for all further ones.
  [[nodiscard]] Region inside(Region outer, std::string_view name);
  [[nodiscard]] std::string path(Region region) const;
  [[nodiscard]] std::string name(Region region) const;  // the last part of the path
  [[nodiscard]] std::size_t count() const;

 private:
  mutable HeldMutex mutex_;
  std::vector<std::string> paths_;
  std::unordered_map<std::string, Region> known_;
};

}  // namespace comity::metrics
