// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/figures_file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"

namespace comity::cli::launch {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::string figures_file(const std::string& file) { return fs::absolute(file).lexically_normal().string(); }

void clear_figures_file(const std::string& file) {
  std::error_code ignored;
  const fs::file_status there = fs::symlink_status(file, ignored);
  // To open a pipe would wait for its reader, and to remove a device or a link is not what was asked for.
  if (fs::exists(there) && !fs::is_regular_file(there) && !fs::is_directory(there)) return;
  errno = 0;
  if (!std::ofstream(file, std::ios::binary)) {
    throw system_error("--metrics-json: write " + file, errno, "name a file that can be written on rank 0's host");
  }
  fs::remove(file, ignored);
}

}  // namespace comity::cli::launch
