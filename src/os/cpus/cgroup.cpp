// SPDX-License-Identifier: BSD-3-Clause
#include "os/cpus/cgroup.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/error.hpp"

namespace comity::os {
namespace {

// No stream: those keep quiet when memory is short.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    if (end > at) pieces.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return pieces;
}

bool has_word(const std::string& list, std::string_view word) {
  const auto words = split(list, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr const char* kGroupsOfMine = "/proc/self/cgroup";

// A line of it: number:controllers:group, controllers empty for version 2.
std::optional<std::string> find_group(const ReadText& read, std::string_view controller) {
  for (const std::string& line : split(read(kGroupsOfMine).value_or(""), '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : has_word(controllers, controller)) return line.substr(second + 1);
  }
  return std::nullopt;
}

// A folder where a controller's tree is mounted, and the way from there to a group: "" or "/" for the mount itself.
struct Place {
  std::string folder;
  std::string below;
};

// Outside the cgroup namespace of this process, whose own group is "/" to it.
bool is_outside(std::string_view group) { return group == "/.." || group.starts_with("/../"); }

// The way from the group that stands at a mount down to another; none where that is not below it: "/job" is
// not above "/job2".
std::optional<std::string> way_down(std::string_view mounted, std::string_view group) {
  // Above the namespace, whose name below there nobody tells us: what limits that group limits this one too.
  if (mounted.ends_with("/..") && !is_outside(group)) return "";
  if (mounted == "/") mounted = "";
  if (!group.starts_with(mounted)) return std::nullopt;
  const std::string_view below = group.substr(mounted.size());
  if (!below.empty() && !below.starts_with('/')) return std::nullopt;
  if (is_outside(below)) return std::nullopt;
  return std::string(below);
}

// The first mount that the group can be seen through. A line of mountinfo: id parent device root folder options.. - type
// source superoptions
std::optional<Place> find_place(const ReadText& read, std::string_view controller, std::string_view group) {
  for (const std::string& line : split(read("/proc/self/mountinfo").value_or(""), '\n')) {
    const auto words = split(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 5 || words.end() - dash < 4) continue;
    const bool unified = controller.empty() && dash[1] == "cgroup2";
    const bool split_tree = !controller.empty() && dash[1] == "cgroup" && has_word(dash[3], controller);
    if (!unified && !split_tree) continue;
    if (auto below = way_down(words[3], group)) return Place{words[4], std::move(*below)};
  }
  return std::nullopt;
}

constexpr std::size_t kUsualText = 512;
constexpr std::size_t kMostText = std::size_t{1} << 20U;

std::string read_all(const Descriptor& file) {
  std::string text(4096, '\0');
  std::size_t length = 0;
  while (true) {
    length += read_at(file, std::as_writable_bytes(std::span(text).subspan(length)), length);
    if (length < text.size() || length >= kMostText) break;
    text.resize(2 * text.size());
  }
  text.resize(length);
  return text;
}

std::optional<std::string> read_file(const std::string& path) {
  try {
    return read_all(open_file(path, O_RDONLY));
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<CpuSet> set_of(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with(' ')) text.remove_suffix(1);
  if (text.empty()) return std::nullopt;  // version 2 shows an empty line where the group inherits
  try {
    return CpuSet::parse_list(text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

struct CpusetFiles {
  const char* controller;
  const char* cpus;
  const char* nodes;
};

// Version 2 first: where it has the controller it is the one that counts.
constexpr std::array<CpusetFiles, 3> kCpusetFiles{{{"", "/cpuset.cpus.effective", "/cpuset.mems.effective"},
                                                   {"cpuset", "/cpuset.effective_cpus", "/cpuset.effective_mems"},
                                                   {"cpuset", "/cpuset.cpus", "/cpuset.mems"}}};

Descriptor open_if_there(const std::string& path) {
  try {
    return open_file(path, O_RDONLY);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::vector<std::string> cgroup_folders(const ReadText& read, std::string_view controller) {
  const auto group = find_group(read, controller);
  const auto place = group ? find_place(read, controller, *group) : std::nullopt;
  if (!place) return {};
  std::vector<std::string> folders;
  for (std::string below = place->below; below.size() > 1; below.erase(below.rfind('/'))) {
    folders.push_back(place->folder + below);
  }
  folders.push_back(place->folder);  // in a container often the only one that is there
  return folders;
}

void CpusetWatch::find() {
  searched_ = false;
  group_.clear();
  for (List* list : {&cpus_, &nodes_}) {
    list->file = Descriptor();
    list->text.clear();
    list->set.reset();
  }
  open_first();
  searched_ = true;
}

void CpusetWatch::open_first() {
  std::map<std::string, std::optional<std::string>> texts;  // the mount table is asked for by each candidate
  const auto below_root = [&](const std::string& path) {
    const auto known = texts.find(path);
    return known != texts.end() ? known->second : texts.emplace(path, read_file(root_ + path)).first->second;
  };
  for (const CpusetFiles& candidate : kCpusetFiles) {
    const std::vector<std::string> folders = cgroup_folders(below_root, candidate.controller);
    for (const std::string& folder : folders) {
      const std::string path = folder + candidate.cpus;
      if (!set_of(below_root(path).value_or(""))) continue;
      cpus_.file = open_file(root_ + path, O_RDONLY);
      nodes_.file = open_if_there(root_ + folder + candidate.nodes);
      if (folder == folders.front()) group_ = below_root(kGroupsOfMine).value_or("");
      return;
    }
  }
}

// Its open file tells of it whatever has been mounted meanwhile, so the mount table, which is long, is not read again.
bool CpusetWatch::is_in_same_group() const { return !group_.empty() && read_file(root_ + kGroupsOfMine) == group_; }

// One system call and a comparison where nothing has changed: every collective call of a rank asks.
std::optional<CpuSet> CpusetWatch::read(List& list) {
  if (!list.file.valid()) return std::nullopt;
  std::array<char, kUsualText> text;
  const ssize_t length = ::pread(list.file.number(), text.data(), text.size(), 0);
  if (length <= 0) return std::nullopt;  // the group was removed
  const std::string_view now(text.data(), static_cast<std::size_t>(length));
  if (now == list.text) return list.set;
  if (now.size() < text.size()) {
    list.text = now;
    list.set = set_of(list.text);
    return list.set;
  }
  try {
    return set_of(read_all(list.file));
  } catch (const Error&) {
    return std::nullopt;
  }
}

void CpusetWatch::prepare() {
  const std::lock_guard lock(mutex_);
  for (List* list : {&cpus_, &nodes_}) list->text.reserve(kUsualText);
  if (!searched_) find();
  (void)read(cpus_);
  (void)read(nodes_);
}

std::uint64_t CpusetWatch::identity() {
  const std::lock_guard lock(mutex_);
  struct stat status {};
  return cpus_.file.valid() && ::fstat(cpus_.file.number(), &status) == 0 ? static_cast<std::uint64_t>(status.st_ino)
                                                                          : 0;
}

std::optional<CpuSet> CpusetWatch::look_at_nodes() {
  const std::lock_guard lock(mutex_);
  try {
    if (!searched_) find();
    return read(nodes_);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<CpuSet> CpusetWatch::look_after(Search search) {
  const std::lock_guard lock(mutex_);
  try {
    if (search == Search::again && is_in_same_group()) {
      if (const std::optional<CpuSet> now = read(cpus_)) return now;
    }
    if (search == Search::again || !searched_) find();
    return read(cpus_);
  } catch (const std::exception&) {
    return std::nullopt;  // out of memory, or the group went while it was looked at: the next call looks again
  }
}

}  // namespace comity::os
