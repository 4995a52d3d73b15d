// SPDX-License-Identifier: BSD-3-Clause
// Scratch folder: as ScratchFile, gone with all that is in it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "cli/bench/subject/scratch_file.hpp"

namespace comity::cli::bench {

class ScratchFolder {
 public:
  ScratchFolder() : path_(scratch_pattern()) {
    if (::mkdtemp(path_.data()) == nullptr) refuse_scratch("a folder");
  }
  ~ScratchFolder() {
    std::error_code nobody_asks;
    std::filesystem::remove_all(path_, nobody_asks);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace comity::cli::bench
