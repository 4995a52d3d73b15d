// SPDX-License-Identifier: BSD-3-Clause
#include "preload/figures_file.hpp"

#include <mpi.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::preload {
namespace {

bool is_spawned() {
  MPI_Comm parents = interpose::handles().no_communicator;
  interpose::real::MPI_Comm_get_parent(&parents);
  return parents != interpose::handles().no_communicator;
}

bool is_rank_0() {
  int rank = 0;
  interpose::real::MPI_Comm_rank(interpose::handles().world, &rank);
  return rank == 0;
}

}  // namespace

FiguresFile::FiguresFile(std::string path) : path_(std::move(path)) {}

void FiguresFile::leave_to_parents() {
  if (path_.empty() || !is_spawned()) return;
  if (is_rank_0()) {
    log::warning("metrics", "figures of ranks that MPI_Comm_spawn has started are not written to " + path_ +
                                ", which is of the job that started them");
  }
  path_.clear();
}

void FiguresFile::write(const std::string& json) const {
  const std::string what = "write the figures of the run to " + path_;
  std::FILE* const file = std::fopen(path_.c_str(), "we");
  if (file == nullptr) throw system_error(what, errno, "name a file that can be written on rank 0's host");
  const bool is_written = std::fwrite(json.data(), 1, json.size(), file) == json.size();
  const int problem = errno;
  if (std::fclose(file) != 0) throw system_error(what, errno);
  if (!is_written) throw system_error(what, problem);
}

}  // namespace comity::preload
