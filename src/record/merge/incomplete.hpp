// SPDX-License-Identifier: BSD-3-Clause
// Incomplete: what found no room in a rank's record, which the fact kIncompleteFact tells. Tables first, for figures hang
// on them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace comity::record {

[[nodiscard]] std::string the_fact(const std::string& key);
[[nodiscard]] std::string the_stream(const std::string& lane);
[[nodiscard]] std::string the_table(const std::string& name);

// Each of them at the most so long, and so many of them.
inline constexpr std::size_t kMostWithoutRoom = 12;
inline constexpr std::size_t kLongestWithoutRoom_bytes = 48;

class Incomplete {
 public:
  // Whether that is news.
  bool refuse(const std::string& what);
  bool accept(const std::string& what);     // a later one, of something that was refused
  [[nodiscard]] std::string words() const;  // "" where all has room

 private:
  std::vector<std::string> refused_;
  bool more_ = false;
};

// Whether these facts of a rank say so; then a table that is there is an older one.
[[nodiscard]] bool found_no_room(const std::map<std::string, std::string>& facts, const std::string& what);

}  // namespace comity::record
