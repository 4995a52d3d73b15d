// SPDX-License-Identifier: BSD-3-Clause
// A program by name, and how it comes by its MPI as far as its file tells. Not: what to say of it (doctor, run).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/doctor/elf.hpp"

namespace comity::cli {

using Exists = std::function<bool(const std::string& path)>;

// As a shell finds it: a path as it is, a name in the folders of `path_variable`; "" where no folder has it.
[[nodiscard]] std::string place_of_program(const std::string& program, std::string_view path_variable,
                                           const Exists& exists);

// With its functions of MPI.
[[nodiscard]] ElfFile read_program(const std::string& path);

// The first library that it loads whose name says MPI; "" where it loads none itself.
[[nodiscard]] std::string mpi_library(const ElfFile& file);

[[nodiscard]] bool calls_mpi_outside(const ElfFile& file);

// Its calls go to functions that the linker has put into it, past all that is preloaded.
[[nodiscard]] bool has_mpi_inside(const ElfFile& file);

// "MPI_Send and 3 more"
[[nodiscard]] std::string some_of(const std::vector<std::string>& names);

}  // namespace comity::cli
