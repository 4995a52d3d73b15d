// SPDX-License-Identifier: BSD-3-Clause
// OpenDirectory: the C library's list of a directory's entries, closed with its owner.
#pragma once

#include <dirent.h>

#include <memory>

namespace comity::os {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

using OpenDirectory = std::unique_ptr<DIR, CloseDirectory>;

}  // namespace comity::os
