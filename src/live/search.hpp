// SPDX-License-Identifier: BSD-3-Clause
// Search: the processes of this node that show a live page, found by what /proc says of their open files.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "live/page_reader.hpp"

namespace comity::live {

struct Shown {
  pid_t process = 0;  // in the reader's pid namespace
  PageView page;
};

struct Unreadable {
  pid_t process = 0;
  std::string why;
};

struct Sightings {
  std::vector<Shown> shown;            // by process
  std::vector<Unreadable> unreadable;  // pages that are there and cannot be read
  std::size_t refused = 0;             // processes of this user (for root: of anybody) that may not be looked at
};

class Search {
 public:
  explicit Search(std::string proc = "/proc") : proc_(std::move(proc)) {}

  // Now. A process that was found before is looked at where its page was then.
  [[nodiscard]] Sightings look();

 private:
  void look_at(pid_t process, Sightings& sightings);
  [[nodiscard]] std::optional<int> descriptor_of(pid_t process, bool& refused) const;
  [[nodiscard]] bool is_page(pid_t process, int descriptor) const;
  [[nodiscard]] std::string path(pid_t process, const std::string& file) const;
  void read(pid_t process, int descriptor, Sightings& sightings) const;

  std::string proc_;
  std::map<pid_t, int> known_;  // the descriptor's number in that process
};

}  // namespace comity::live
