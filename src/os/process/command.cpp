// SPDX-License-Identifier: BSD-3-Clause
#include "os/process/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "os/files/descriptor.hpp"

namespace comity::os {
namespace {

constexpr int kNotStarted = 127, kSignal = 128;  // as shells say it

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error("make a pipe", errno);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// In the child: an empty input, the pipe as output, a group of its own so that it can be killed whole. The group does not
// hear a terminal's Ctrl-C, so the kernel tells the child when `parent` ends, however that came about. `refused` closes
// when the program begins, and else gets a byte first: a program whose libraries are missing ends with 127 too.
[[noreturn]] void become(const std::vector<char*>& arguments, int output, int refused, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(kNotStarted);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execvp(arguments[0], arguments.data());
  (void)!::write(refused, "x", 1);
  ::_exit(kNotStarted);
}

pid_t start(const std::vector<std::string>& words, int output, int refused) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw system_error("start " + words[0], errno);
  if (child == 0) become(arguments, output, refused, parent);
  ::setpgid(child, child);  // both do it, so that the group is there whoever comes first
  return child;
}

// Waits until there is something to read. False: the time is up.
bool readable_before(const Descriptor& file, std::int64_t deadline_ns) {
  while (true) {
    const std::int64_t left_ms = (deadline_ns - now_ns()) / 1'000'000;
    if (left_ms <= 0) return false;
    pollfd wanted{file.number(), POLLIN, 0};
    if (::poll(&wanted, 1, static_cast<int>(std::min<std::int64_t>(left_ms, 60'000))) > 0) return true;
  }
}

// Reads until the other side closes. False: the time is up.
bool read_all(const Descriptor& file, std::int64_t deadline_ns, std::size_t most_bytes, std::string& text) {
  std::array<char, 4096> piece{};
  while (readable_before(file, deadline_ns)) {
    const ssize_t bytes = ::read(file.number(), piece.data(), piece.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return true;
    const std::size_t room = most_bytes - text.size();
    text.append(piece.data(), std::min(room, static_cast<std::size_t>(bytes)));
  }
  return false;
}

// Its wait status; none: it still runs at the deadline.
std::optional<int> wait_until(pid_t child, std::int64_t deadline_ns) {
  while (true) {
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == child) return status;
    if (now_ns() >= deadline_ns) return std::nullopt;
    ::poll(nullptr, 0, 1);  // it has closed its output, so it is about to end
  }
}

void kill_group(pid_t child) {
  ::kill(-child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// Of a program that has ended: nothing is written to `refused` any more.
bool was_refused(const Descriptor& refused) {
  char byte = 0;
  return ::read(refused.number(), &byte, 1) == 1;
}

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : kSignal + WTERMSIG(status); }

}  // namespace

CommandEnd run_command(const std::vector<std::string>& words, std::chrono::milliseconds timeout,
                       std::size_t most_bytes) {
  const std::int64_t deadline_ns = deadline_after(timeout);
  Pipe pipe = make_pipe();
  Pipe refused = make_pipe();
  CommandEnd end;
  const pid_t child = start(words, pipe.write_end.number(), refused.write_end.number());
  pipe.write_end = Descriptor();  // else their ends would never be seen
  refused.write_end = Descriptor();
  std::optional<int> status;
  if (read_all(pipe.read_end, deadline_ns, most_bytes, end.output)) status = wait_until(child, deadline_ns);
  end.timed_out = !status;
  if (status) {
    if (!was_refused(refused.read_end)) end.exit_code = exit_code_of(*status);
  } else {
    kill_group(child);
  }
  return end;
}

}  // namespace comity::os
