// SPDX-License-Identifier: BSD-3-Clause
// Which libquo a program judges: that of LIBQUO=PATH, else the one that it was linked with. For C++11, as the classes are.
#pragma once

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace conform {

// Its path; null: the program judges the one that it was linked with.
inline const char* judged_library() {
  const char* const path = std::getenv("LIBQUO");
  return path == nullptr || *path == 0 ? nullptr : path;
}

// First in main: the program runs again where LIBQUO names a library. What is loaded first and has libquo's soname takes the
// place of the one that the program was linked with.
inline void load_the_library_to_judge(char** arguments) {
  const char* const path = judged_library();
  const char* const loaded = std::getenv("LD_PRELOAD");
  if (path == nullptr || (loaded != nullptr && std::strstr(loaded, path) != nullptr)) return;
  const std::string first = loaded == nullptr ? path : path + (":" + std::string(loaded));
  (void)setenv("LD_PRELOAD", first.c_str(), 1);
  (void)execv("/proc/self/exe", arguments);
  std::perror("run again with LIBQUO");
  std::exit(2);
}

// Of a library that is not the one linked with, which may hang where that one tells: says so and ends the process.
inline void end_what_hangs(unsigned after_s, void (*say)(int)) {
  if (judged_library() == nullptr) return;
  (void)std::signal(SIGALRM, say);
  (void)alarm(after_s);
}

}  // namespace conform
