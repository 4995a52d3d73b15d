// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/program.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "cli/common/program_mpi.hpp"
#include "cli/doctor/host.hpp"
#include "os/threads/openmp.hpp"

namespace comity::cli::launch {
namespace {

// All libraries that the loader would bring, those that are needed only through others too: "\tlibmpi.so.40 =>
// /lib/libmpi.so.40 (0x..)". None where it does not tell.
std::optional<std::vector<std::string>> all_libraries(const Surroundings& here, const std::string& path) {
  const os::CommandEnd end = here.run({"ldd", path});
  if (end.exit_code != 0) return std::nullopt;
  std::vector<std::string> libraries;
  for (const std::string& line : split(end.output, "\n")) {
    const std::vector<std::string> words = split(line);
    if (!words.empty()) libraries.push_back(words.front());
  }
  return libraries;
}

std::string mpi_among(const std::vector<std::string>& libraries) {
  for (const std::string& library : libraries) {
    std::string mpi = mpi_of_library(library);
    if (!mpi.empty()) return mpi;
  }
  return {};
}

bool has_openmp(const std::vector<std::string>& libraries) {
  return std::any_of(libraries.begin(), libraries.end(), os::OpenMp::is_runtime);
}

bool has_one_of(const std::vector<std::string>& libraries, std::string_view name) {
  return std::any_of(libraries.begin(), libraries.end(),
                     [&](const std::string& library) { return library.starts_with(name); });
}

// The file's own words are quicker than the loader; what an MPICH stands on they do not tell.
void look_at_libraries(Program& program, const Surroundings& here, const ElfFile& file) {
  program.mpi = mpi_of_library(mpi_library(file));
  if (has_openmp(file.needed)) program.openmp = HasOpenMp::yes;
  if (!program.mpi.empty() && program.mpi != "mpich" && program.openmp == HasOpenMp::yes) return;
  const std::optional<std::vector<std::string>> libraries = all_libraries(here, program.path);
  if (!libraries) return;
  if (program.mpi.empty()) program.mpi = mpi_among(*libraries);
  if (has_openmp(*libraries)) program.openmp = HasOpenMp::yes;
  if (has_one_of(*libraries, "libopenblas")) program.openblas = HasOpenBlas::yes;
  if (has_one_of(*libraries, "libucp.so")) program.ucx = OnUcx::yes;
  // An interpreter has what its modules bring, later.
  if (program.openmp == HasOpenMp::unknown && !program.mpi.empty()) program.openmp = HasOpenMp::no;
}

}  // namespace

Program look_at(const Surroundings& here, const std::string& name) {
  Program program;
  program.path = place_of(here, name);
  if (program.path.empty()) return program;
  const ElfFile file = here.read_program(program.path);
  if (file.kind == FileKind::fixed) program.unreachable = "is linked statically, so no loader prepares it";
  if (file.kind != FileKind::dynamic) return program;
  if (has_mpi_inside(file)) {
    program.unreachable = "has an MPI linked into it (" + some_of(file.defined) + ")";
    return program;
  }
  look_at_libraries(program, here, file);
  return program;
}

}  // namespace comity::cli::launch
