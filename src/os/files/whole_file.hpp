// SPDX-License-Identifier: BSD-3-Clause
// WholeFile: a file that gets its name only when it is whole, and never takes the name of one that is there. Until then it
// has none, so that a kill leaves nothing; where the file system knows no such files it has a name that ends in
// ".unfinished" and a lock, and the next one made in the folder sweeps what a killed process left.
#pragma once

#include <string>
#include <string_view>

#include "os/files/descriptor.hpp"
#include "os/files/folder.hpp"

namespace comity::os {

class WholeFile {
 public:
  // The mode follows the user's mask. `folder` must outlive this.
  WholeFile(const Folder& folder, std::string name);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  [[nodiscard]] const Descriptor& file() const { return file_; }
  // Gives it its name. Throws where that is taken; then what is there stays as it was.
  void publish();
  // Gives it its name in one step, in the place of the one that has it now.
  void publish_over_old();

 private:
  void create_named();
  [[nodiscard]] bool link(const std::string& name) const;

  const Folder& folder_;
  std::string name_;
  std::string unfinished_;  // "": it has no name
  Descriptor file_;
};

// Removes what killed processes left: unfinished files whose names start so, and that nobody locks.
void sweep_unfinished(const Folder& folder, std::string_view start);

}  // namespace comity::os
