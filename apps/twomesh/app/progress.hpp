// SPDX-License-Identifier: BSD-3-Clause
// A progress bar on the terminal of whoever started the job, drawn by rank 0; none where that is no terminal.
#pragma once

#include <cstdio>

namespace twomesh::app {

class Progress {
 public:
  Progress(int steps, bool speaker);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void operator()(int done) const;

 private:
  int steps_;
  std::FILE* terminal_ = nullptr;
};

}  // namespace twomesh::app
