// SPDX-License-Identifier: BSD-3-Clause
// Search: the processes of this node that show a live page, found by what /proc says of their open files. All it ever writes is
// what a rank is asked for.
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
  // Asks that rank to record whose its memory is, or not to: it does so at its next call of MPI that waits or makes something.
  // As it was before. Throws where there is no such process, or it is none that records, with what to do.
  [[nodiscard]] PageView ask(pid_t process, Recording wish);

 private:
  void look_at(pid_t process, Sightings& sightings);
  [[nodiscard]] bool is_made_by(pid_t process, const PageView& page) const;
  [[nodiscard]] std::optional<int> descriptor_of(pid_t process, bool& refused) const;
  [[nodiscard]] bool is_page(pid_t process, int descriptor) const;
  [[nodiscard]] std::string path(pid_t process, const std::string& file) const;
  void read(pid_t process, int descriptor, Sightings& sightings) const;

  std::string proc_;
  std::map<pid_t, int> known_;  // the descriptor's number in that process
};

}  // namespace comity::live
