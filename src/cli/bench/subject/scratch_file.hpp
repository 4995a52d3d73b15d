// SPDX-License-Identifier: BSD-3-Clause
// Scratch file: a file of its own name in the folder for such, gone with its object. Throws Status::system where none can
// be made.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/error.hpp"

namespace comity::cli::bench {

// To be filled in by mkstemp and the like.
inline std::string scratch_pattern() {
  return (std::filesystem::temp_directory_path() / "comity-bench-XXXXXX").string();
}

// `what`: "a file"; errno says why.
[[noreturn]] inline void refuse_scratch(const std::string& what) {
  const int why = errno;
  throw Error(Status::system, "make " + what + " in " + std::filesystem::temp_directory_path().string() + ": " +
                                  std::system_category().message(why) + "; set TMPDIR to a folder that can be written");
}

class ScratchFile {
 public:
  ScratchFile() : path_(scratch_pattern()) {
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) refuse_scratch("a file");
    ::close(descriptor);
  }
  ~ScratchFile() { ::unlink(path_.c_str()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace comity::cli::bench
