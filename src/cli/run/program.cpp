// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/program.hpp"

#include "cli/doctor/host.hpp"
#include "cli/program_mpi.hpp"

namespace comity::cli::launch {
namespace {

// Asks the loader, for libraries that the program needs only through others: "\tlibmpi.so.40 => /lib/libmpi.so.40 (0x..)".
std::string mpi_behind_libraries(const Surroundings& here, const std::string& path) {
  const os::CommandEnd end = here.run({"ldd", path});
  if (end.exit_code != 0) return {};
  for (const std::string& line : split(end.output, "\n")) {
    const std::vector<std::string> words = split(line);
    std::string mpi = words.empty() ? std::string() : mpi_of_library(words.front());
    if (!mpi.empty()) return mpi;
  }
  return {};
}

}  // namespace

Program look_at(const Surroundings& here, const std::string& name) {
  Program program{.path = place_of(here, name), .mpi = {}, .unreachable = {}};
  if (program.path.empty()) return program;
  const ElfFile file = here.read_program(program.path);
  if (file.kind == FileKind::fixed) program.unreachable = "is linked statically, so no loader prepares it";
  if (file.kind != FileKind::dynamic) return program;
  if (has_mpi_inside(file)) {
    program.unreachable = "has an MPI linked into it (" + some_of(file.defined) + ")";
    return program;
  }
  program.mpi = mpi_of_library(mpi_library(file));
  if (program.mpi.empty()) program.mpi = mpi_behind_libraries(here, program.path);
  return program;
}

}  // namespace comity::cli::launch
