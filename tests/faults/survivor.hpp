// SPDX-License-Identifier: BSD-3-Clause
// What a rank may look at after something went wrong: whether anything stayed behind.
#pragma once

#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "node/becomes.hpp"

extern "C" int __lsan_do_recoverable_leak_check() __attribute__((weak));

namespace comity::testing {

inline std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> list(::opendir(directory.c_str()), ::closedir);
  while (const dirent* entry = list ? ::readdir(list.get()) : nullptr) names.emplace_back(entry->d_name);
  return names;
}

inline std::set<std::string> names_of_ours_in(const std::string& directory) {
  std::set<std::string> names;
  for (const std::string& name : names_in(directory)) {
    if (name.starts_with("comity")) names.insert(name);
  }
  return names;
}

inline int files_of_ours_in(const std::string& directory) {
  return static_cast<int>(names_of_ours_in(directory).size());
}

// The folder of shared memory, where other jobs may have files of ours for a moment: what is left behind stays.
class SharedMemoryFolder {
 public:
  [[nodiscard]] bool gets_rid_of_what_is_new() const {
    return becomes_true([&] {
      const std::set<std::string> now = names_of_ours_in(kPath);
      return std::includes(before_.begin(), before_.end(), now.begin(), now.end());
    });
  }

 private:
  static constexpr const char* kPath = "/dev/shm";
  std::set<std::string> before_ = names_of_ours_in(kPath);
};

inline std::size_t open_descriptors() { return names_in("/proc/self/fd").size(); }

inline bool is_sanitized() { return __lsan_do_recoverable_leak_check != nullptr; }

// Where the leak sanitizer is built in; a forked rank ends without its usual check.
inline void expect_no_leak() {
  if (!is_sanitized()) return;
  EXPECT_EQ(__lsan_do_recoverable_leak_check(), 0);
}

// An empty directory for the hand-over by file, removed with this object: nothing may be left in it.
class HandOverFolder {
 public:
  HandOverFolder() { EXPECT_NE(::mkdtemp(path_.data()), nullptr); }
  ~HandOverFolder() { EXPECT_EQ(::rmdir(path_.c_str()), 0) << path_ << " is not empty"; }
  HandOverFolder(const HandOverFolder&) = delete;
  HandOverFolder& operator=(const HandOverFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/comity-faults-XXXXXX";
};

}  // namespace comity::testing
