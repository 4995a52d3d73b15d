// SPDX-License-Identifier: BSD-3-Clause
// Families of launchers: those that take the same options, whoever built them; and the MPIs that Comity can preload into.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace comity::cli::launch {

enum class Family : std::uint8_t { open_mpi, hydra, slurm };

// Whether a command that begins with this word, a name or a path, begins with a launcher.
[[nodiscard]] bool is_launcher(const std::string& word);

// From what launcher_version() says; none: no family that is known.
[[nodiscard]] std::optional<Family> family_of(std::string_view version);

// "openmpi" or "mpich", the words of Comity's libraries: of a launcher's ranks, "" where the family does not tell.
[[nodiscard]] std::string mpi_of(Family family);

// Of a library that a program needs, by its name: libmpi.so.40, libmpich.so.12.
[[nodiscard]] std::string mpi_of_library(std::string_view library);

// As people write it: Open MPI, MPICH.
[[nodiscard]] std::string_view title_of(std::string_view mpi);

}  // namespace comity::cli::launch
