// SPDX-License-Identifier: BSD-3-Clause
#include "app/streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "app/files.hpp"

namespace twomesh::app {

// In ascending order, so that open() gives each number; opened the other way round, so that it fails as a closed one does.
void hold_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream) return;
  }
}

void require_printed() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  const std::string why = errno == 0 ? "it takes no more; is the disk full?" : std::strerror(errno);
  throw LostResult("cannot write the result to standard output: " + why);
}

}  // namespace twomesh::app
