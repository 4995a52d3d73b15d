// SPDX-License-Identifier: BSD-3-Clause
// A real cgroup whose cpuset a test changes while ranks run in it. It needs the right to make one: root, version 1 or 2.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "base/cpu_set.hpp"
#include "os/cpus/cgroup.hpp"
#include "os/files/descriptor.hpp"

namespace comity::testing {

inline std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline bool write_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  const bool written = std::fputs(text.c_str(), file) >= 0;
  return std::fclose(file) == 0 && written;
}

// A group below the one of this process, removed at the end.
class CpusetGroup {
 public:
  // Null where this user may make none with a cpuset.
  static std::unique_ptr<CpusetGroup> make(const std::string& name) {
    for (const char* controller : {"cpuset", ""}) {
      const auto folders = os::cgroup_folders(read_file, controller);
      if (folders.empty()) continue;
      auto group = std::make_unique<CpusetGroup>(folders.front(), name);
      if (group->usable_) return group;
    }
    return nullptr;
  }

  CpusetGroup(const std::string& parent, const std::string& name) : parent_(parent), folder_(parent + "/" + name) {
    std::error_code problem;
    if (!std::filesystem::create_directory(folder_, problem)) return;
    // Version 1 wants its memory nodes named before a process may enter.
    const auto memories = read_file(parent + "/cpuset.effective_mems");
    usable_ = (!memories || write_file(folder_ + "/cpuset.mems", *memories)) &&
              std::filesystem::exists(folder_ + "/cpuset.cpus");
  }
  ~CpusetGroup() {
    // Busy while its processes are still dying. Where it could not be made, there is nothing to wait for.
    for (int attempt = 0; attempt < 1000 && ::rmdir(folder_.c_str()) != 0 && errno == EBUSY; ++attempt) ::usleep(1000);
  }
  CpusetGroup(const CpusetGroup&) = delete;
  CpusetGroup& operator=(const CpusetGroup&) = delete;

  // False where the kernel refuses it.
  [[nodiscard]] bool allow(const CpuSet& cpus) const { return write_file(folder_ + "/cpuset.cpus", cpus.to_list()); }
  // The file of its CPUs, open: who changes them by one write takes the least time.
  [[nodiscard]] os::Descriptor open_cpus() const {
    return os::Descriptor(::open((folder_ + "/cpuset.cpus").c_str(), O_WRONLY | O_CLOEXEC));
  }
  [[nodiscard]] bool enter(pid_t process = ::getpid()) const { return move(process, folder_); }
  [[nodiscard]] bool leave(pid_t process) const { return move(process, parent_); }

 private:
  static bool move(pid_t process, const std::string& folder) {
    return write_file(folder + "/cgroup.procs", std::to_string(process));
  }

  std::string parent_;
  std::string folder_;
  bool usable_ = false;
};

}  // namespace comity::testing
