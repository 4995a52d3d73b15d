// SPDX-License-Identifier: BSD-3-Clause
// An executable file as the linker left it: whether the loader has a say in it, what it loads, and which functions of a
// kind it brings along or expects from elsewhere. Not: what that means (program). It reads what sections say, which
// stripping keeps; a file of any content is told as one that cannot be read, never followed out of its bounds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace comity::cli {

enum class FileKind : std::uint8_t {
  absent,   // or not to be read
  special,  // a folder, a pipe, a device: not opened, for that could wait
  script,   // the kernel starts an interpreter
  foreign,  // no executable of this machine, or a broken one
  library,  // shared, not to be started
  fixed,    // a program without a loader: linked statically
  dynamic,  // a program that the loader prepares
};

struct ElfFile {
  FileKind kind = FileKind::absent;
  std::vector<std::string> needed;     // shared libraries, as they are named in the file
  std::vector<std::string> defined;    // functions of its own, sorted
  std::vector<std::string> undefined;  // expected from a shared library, sorted
};

// Only functions whose name `wanted` accepts are listed.
[[nodiscard]] ElfFile read_elf(const std::string& path, const std::function<bool(std::string_view name)>& wanted);

}  // namespace comity::cli
