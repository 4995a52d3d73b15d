// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/record_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "record/merge/names.hpp"

namespace comity::cli::launch {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& folder, const std::string& why, const char* what_to_do) {
  throw Error(Status::system, "--record " + folder.string() + ": " + why + "; " + what_to_do);
}

// The folder itself, or the nearest one above it that exists.
fs::path existing(fs::path folder) {
  std::error_code ignored;
  while (!fs::exists(fs::symlink_status(folder, ignored)) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

bool is_of_record(const fs::directory_entry& entry) { return record::is_record_file(entry.path().filename().string()); }

}  // namespace

std::string record_folder(const std::string& folder) {
  fs::path whole = fs::absolute(folder).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  const fs::path there = existing(whole);
  std::error_code problem;
  if (!fs::is_directory(there, problem)) {
    refuse(whole, there.string() + " is no folder", "name one, or one that can be made");
  }
  if (::access(there.c_str(), W_OK | X_OK) != 0) {
    refuse(whole, "nothing can be written into " + there.string(), "name a folder that is yours");
  }
  if (there != whole) return whole.string();
  const fs::directory_iterator entries(whole, problem);
  if (!problem && std::any_of(begin(entries), end(entries), is_of_record)) {
    refuse(whole, "it holds the record of another run, which is never overwritten",
           "name another folder, or remove it");
  }
  return whole.string();
}

void make_record_folder(const std::string& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) refuse(folder, "cannot be made: " + problem.message(), "name a folder that is yours");
}

}  // namespace comity::cli::launch
