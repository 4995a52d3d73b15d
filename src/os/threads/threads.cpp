// SPDX-License-Identifier: BSD-3-Clause
#include "os/threads/threads.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "os/cpus/affinity.hpp"
#include "os/files/open_directory.hpp"

namespace comity::os {
namespace {

constexpr std::array kPollCalls{
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_select
    SYS_select,
#endif
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
#ifdef SYS_epoll_pwait2
    SYS_epoll_pwait2,
#endif
    SYS_ppoll,        SYS_pselect6, SYS_epoll_pwait};

constexpr std::size_t kOwnLinks = 2;  // of a folder: its name and its dot

constexpr std::array<std::string_view, 4> kPollChannels{"do_poll", "ep_poll", "poll_schedule", "do_select"};

std::array<char, 32> task_folder(pid_t process) noexcept {
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/task", process);
  return path;
}

// 0 or the errno.
int list_tasks(const char* folder, std::vector<pid_t>& threads) {
  threads.clear();
  const OpenDirectory tasks(::opendir(folder));
  if (!tasks) return errno;
  while (const dirent* entry = readdir(tasks.get())) {
    const std::string_view name = entry->d_name;
    pid_t thread = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), thread);
    if (problem == std::errc{} && end == name.data() + name.size()) threads.push_back(thread);
  }
  std::sort(threads.begin(), threads.end());
  return 0;
}

std::string read_task_file(pid_t thread, const char* name) {
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/" + name;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::array<char, 256> text{};
  const ssize_t bytes = read(file, text.data(), text.size());
  close(file);
  return bytes > 0 ? std::string(text.data(), static_cast<std::size_t>(bytes)) : std::string();
}

}  // namespace

pid_t this_thread() noexcept { return static_cast<pid_t>(syscall(SYS_gettid)); }

std::string this_thread_name() noexcept {
  std::array<char, 16> name{};
  return ::prctl(PR_GET_NAME, name.data()) == 0 ? name.data() : "";
}

void list_threads(std::vector<pid_t>& threads) {
  const int problem = list_tasks("/proc/self/task", threads);
  if (problem != 0) throw system_error("list the threads of this process in /proc/self/task", problem, "mount /proc");
}

int list_threads_of(pid_t process, std::vector<pid_t>& threads) {
  return list_tasks(task_folder(process).data(), threads);
}

std::optional<std::size_t> count_threads_of(pid_t process) noexcept {
  struct stat facts {};
  if (::stat(task_folder(process).data(), &facts) != 0 || facts.st_nlink <= kOwnLinks) return std::nullopt;
  return static_cast<std::size_t>(facts.st_nlink) - kOwnLinks;
}

std::optional<std::size_t> ThreadCount::links() const noexcept {
  struct stat facts {};
  if (!tasks_.valid() || fstat(tasks_.number(), &facts) != 0) return std::nullopt;
  return static_cast<std::size_t>(facts.st_nlink);
}

std::optional<std::size_t> ThreadCount::now() const noexcept {
  const std::optional<std::size_t> counted = trusted_ ? links() : std::nullopt;
  return counted && *counted > kOwnLinks ? std::optional(*counted - kOwnLinks) : std::nullopt;
}

CpuSet cpus_of_threads() {
  std::vector<pid_t> threads;
  list_threads(threads);
  CpuSet cpus;
  for (const pid_t thread : threads) {
    CpuSet mask;
    if (affinity_if_alive(thread, mask)) cpus |= mask;
  }
  return cpus;
}

void ThreadCount::calibrate(std::size_t listed) {
  if (!tasks_.valid()) tasks_ = Descriptor(open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  trusted_ = links() == listed + kOwnLinks;
}

Sleep sleep_of(pid_t thread) {
  // "7 0x7f.. 0x1 .." in a call, "-1 .." in the kernel for another reason, "running" out of it; absent in kernels built without.
  const std::string call = read_task_file(thread, "syscall");
  long number = -1;
  if (std::from_chars(call.data(), call.data() + call.size(), number).ec == std::errc{} && number >= 0) {
    const bool polls = std::find(kPollCalls.begin(), kPollCalls.end(), number) != kPollCalls.end();
    return polls ? Sleep::in_poll : Sleep::elsewhere;
  }
  if (!call.empty()) return Sleep::none;
  const std::string channel = read_task_file(thread, "wchan");
  if (channel == "0") return Sleep::none;
  const bool polls = std::any_of(kPollChannels.begin(), kPollChannels.end(),
                                 [&](std::string_view name) { return channel.starts_with(name); });
  return polls ? Sleep::in_poll : Sleep::elsewhere;
}

}  // namespace comity::os
