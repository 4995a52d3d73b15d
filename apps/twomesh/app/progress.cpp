// SPDX-License-Identifier: BSD-3-Clause
#include "app/progress.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

namespace twomesh::app {
namespace {

constexpr int kInit = 1;

struct Ancestor {
  std::string name;
  pid_t parent = 0;  // 0 where it is not to be seen
};

// "4711 (name) S 4710 .."; the name may hold anything, so what counts is behind its end.
Ancestor look_at(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t start = line.find('('), end = line.rfind(')');
  Ancestor ancestor;
  if (start == std::string::npos || end == std::string::npos) return ancestor;
  ancestor.name = line.substr(start + 1, end - start - 1);
  if (std::sscanf(line.c_str() + end + 1, " %*c %d", &ancestor.parent) != 1) ancestor.parent = 0;
  return ancestor;
}

bool is_launcher(const std::string& name) {
  constexpr std::array kLaunchers{"mpirun", "mpiexec", "orterun", "prterun", "srun"};
  return std::any_of(kLaunchers.begin(), kLaunchers.end(), [&](const char* one) { return name.starts_with(one); });
}

// Without waiting: for the reader of what turns out to be a pipe, or for somebody who has stopped the terminal.
std::FILE* open_if_terminal(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return nullptr;
  std::FILE* const stream = isatty(file) == 1 ? fdopen(file, "w") : nullptr;
  if (stream == nullptr) close(file);
  return stream;
}

std::FILE* open_standard_error_of(pid_t process) {
  return open_if_terminal("/proc/" + std::to_string(process) + "/fd/2");
}

// Launchers give ranks a pipe for standard error, so what counts is the launcher's own; where that runs on another host, or
// was sent elsewhere by the user, there is none.
std::FILE* find_terminal() {
  if (std::FILE* const mine = open_standard_error_of(getpid())) return mine;
  for (pid_t process = getppid(); process > kInit;) {
    const Ancestor ancestor = look_at(process);
    if (is_launcher(ancestor.name)) return open_standard_error_of(process);
    process = ancestor.parent;
  }
  return nullptr;
}

}  // namespace

Progress::Progress(int steps, bool speaker) : steps_(steps), terminal_(speaker ? find_terminal() : nullptr) {}

Progress::~Progress() {
  if (terminal_ == nullptr) return;
  std::fputs("\r\033[K", terminal_);
  std::fclose(terminal_);
}

void Progress::operator()(int done) const {
  if (terminal_ == nullptr) return;
  constexpr int kWidth = 40;
  const int full = kWidth * done / steps_;
  const std::string bar =
      std::string(static_cast<std::size_t>(full), '#') + std::string(static_cast<std::size_t>(kWidth - full), '.');
  std::fprintf(terminal_, "\r[%s] %d/%d steps", bar.c_str(), done, steps_);
  std::fflush(terminal_);
}

}  // namespace twomesh::app
