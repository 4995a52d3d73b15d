// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/program_mpi.hpp"

#include <algorithm>

#include "cli/doctor/host.hpp"

namespace comity::cli {
namespace {

bool is_of_mpi(std::string_view name) { return name.starts_with("MPI_") || name.starts_with("PMPI_"); }

}  // namespace

std::string place_of_program(const std::string& program, std::string_view path_variable, const Exists& exists) {
  if (program.find('/') != std::string::npos) return exists(program) ? program : std::string();
  for (std::string& path : split(path_variable, ":")) {
    path.append("/").append(program);
    if (exists(path)) return path;
  }
  return {};
}

ElfFile read_program(const std::string& path) { return read_elf(path, is_of_mpi); }

std::string mpi_library(const ElfFile& file) {
  const auto found = std::find_if(file.needed.begin(), file.needed.end(),
                                  [](const std::string& name) { return name.starts_with("libmpi"); });
  return found == file.needed.end() ? std::string() : *found;
}

bool calls_mpi_outside(const ElfFile& file) {
  return std::any_of(file.undefined.begin(), file.undefined.end(), is_of_mpi);
}

bool has_mpi_inside(const ElfFile& file) { return !file.defined.empty() && !calls_mpi_outside(file); }

std::string some_of(const std::vector<std::string>& names) {
  return names.front() + (names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more" : "");
}

}  // namespace comity::cli
