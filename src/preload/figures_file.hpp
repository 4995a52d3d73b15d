// SPDX-License-Identifier: BSD-3-Clause
// FiguresFile: where rank 0 leaves the figures of the run as JSON, if the user wants them there. Not: what they are (last_page).
#pragma once

#include <string>

namespace comity::preload {

class FiguresFile {
 public:
  explicit FiguresFile(std::string path);  // whole; empty: nobody wants them

  // At the end of MPI_Init. Ranks that MPI_Comm_spawn has started have the settings of those that started them, whose file
  // it is.
  void leave_to_parents();
  [[nodiscard]] bool is_wanted() const { return !path_.empty(); }
  // Of the job that was started first. Throws.
  void write(const std::string& json) const;

 private:
  std::string path_;
};

}  // namespace comity::preload
