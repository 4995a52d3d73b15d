// SPDX-License-Identifier: BSD-3-Clause
// Where the cgroup of this process is, in version 1 and 2 and as seen from inside a container; and the CPUs and memory nodes
// that it allows at this moment. Not: what that means for a machine (machine, context).
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_set.hpp"
#include "os/files/descriptor.hpp"

namespace comity::os {

using ReadText = std::function<std::optional<std::string>(const std::string& path)>;  // none: it cannot be read

// The folders that may limit this process: its group, the groups above, up to the mount. `controller`: "cpuset" of
// version 1; "" for version 2. Empty where there is none, or its place is not to be seen.
[[nodiscard]] std::vector<std::string> cgroup_folders(const ReadText& read, std::string_view controller);

// The CPUs and memory nodes that the cgroup of this process allows. Thread-safe.
class CpusetWatch {
 public:
  // `root` stands before each path; "" but in tests.
  explicit CpusetWatch(std::string root = "") : root_(std::move(root)) {}

  // Finds the file, so that the first look needs no memory; throws std::bad_alloc.
  void prepare();
  // These throw nothing: a rank that asks is in a collective call. One read of the file that was found last; none where the
  // cgroup does not tell, or the list is empty.
  [[nodiscard]] std::optional<CpuSet> look() { return look_after(Search::once); }
  // The same of the group that this process is in now: another one is looked for where it was moved, or its own was removed.
  [[nodiscard]] std::optional<CpuSet> look_anew() { return look_after(Search::again); }
  // The NUMA nodes, by OS number, that memory may come from: told by the list beside that of the CPUs.
  [[nodiscard]] std::optional<CpuSet> look_at_nodes();
  // Of the file: the same in two processes exactly where one cgroup tells both. 0 where none does.
  [[nodiscard]] std::uint64_t identity();

 private:
  enum class Search { once, again };
  struct List {
    Descriptor file;   // an open file goes on telling what is true now
    std::string text;  // what it told last, and what that means
    std::optional<CpuSet> set;
  };

  [[nodiscard]] std::optional<CpuSet> look_after(Search search);
  void find();
  void open_first();
  [[nodiscard]] bool is_in_same_group() const;
  [[nodiscard]] static std::optional<CpuSet> read(List& list);

  std::string root_;
  std::mutex mutex_;
  bool searched_ = false;
  std::string group_;  // what /proc/self/cgroup said when the group's own file was found; "" where one above it tells
  List cpus_;
  List nodes_;
};

}  // namespace comity::os
