// SPDX-License-Identifier: BSD-3-Clause
// Namespaces of a test's own. To make one takes a right, which on most kernels an ordinary user has too: inside a user
// namespace that it has made first.
#pragma once

#include <functional>
#include <string>

#include "fork_bootstrap.hpp"

namespace comity::testing {

// Whether a step works, tried in a process of its own.
inline bool would_work(const std::function<bool()>& step) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(step() ? 0 : 1);
  int status = 1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

namespace detail {

inline bool write_to(const char* path, const std::string& text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  return written;
}

// User and group keep their numbers, so that this process owns its files still.
inline bool enter_user_namespace() {
  const std::string user = std::to_string(::geteuid());
  const std::string group = std::to_string(::getegid());
  return ::unshare(CLONE_NEWUSER) == 0 && write_to("/proc/self/setgroups", "deny") &&
         write_to("/proc/self/uid_map", user + ' ' + user + " 1") &&
         write_to("/proc/self/gid_map", group + ' ' + group + " 1");
}

}  // namespace detail

// Runs `body` where `right` works: in this process, else in a child that is in a user namespace of its own. False where
// that is of no help, and nothing has run.
[[nodiscard]] inline bool run_with(const std::function<bool()>& right, const std::function<void()>& body) {
  if (would_work(right)) {
    body();
    return true;
  }
  if (!would_work([&] { return detail::enter_user_namespace() && right(); })) return false;
  const auto ends = run_ranks(1, [&](ForkBootstrap&) {
    ASSERT_TRUE(detail::enter_user_namespace());
    body();
  });
  EXPECT_TRUE(all_good(ends));
  return true;
}

// The right to leave namespaces behind: flags of unshare(2).
[[nodiscard]] inline std::function<bool()> to_unshare(int what) {
  return [what] { return ::unshare(what) == 0; };
}

}  // namespace comity::testing
