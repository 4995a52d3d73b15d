// SPDX-License-Identifier: BSD-3-Clause
// A machine that is a folder of files, for what reads the cgroup of this process: write what the kernel would show, and
// give root() to who reads. Removed at the end.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace comity::testing {

class FakeCgroup {
 public:
  static constexpr const char* kVersionOne = "33 1 0:29 / /sys/fs/cgroup/cpuset rw shared:11 - cgroup cgroup rw,cpuset";
  static constexpr const char* kVersionTwo = "30 1 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw";

  FakeCgroup() : maker_(::getpid()) {
    root_ = (std::filesystem::temp_directory_path() / "comity-cgroup-XXXXXX").string();
    if (::mkdtemp(root_.data()) == nullptr) root_.clear();
  }
  ~FakeCgroup() {
    if (::getpid() != maker_ || root_.empty()) return;  // fork children read it too
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  FakeCgroup(const FakeCgroup&) = delete;
  FakeCgroup& operator=(const FakeCgroup&) = delete;

  [[nodiscard]] const std::string& root() const { return root_; }
  // In place, as the kernel does it: who has the file open sees it.
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }
  [[nodiscard]] std::optional<std::string> read(const std::string& path) const {
    std::ifstream file(root_ + path);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void move_to(const std::string& mount, const std::string& group) const {
    write("/proc/self/mountinfo", mount);
    write("/proc/self/cgroup", group);
  }

 private:
  pid_t maker_;
  std::string root_;
};

}  // namespace comity::testing
