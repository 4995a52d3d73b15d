// SPDX-License-Identifier: BSD-3-Clause
// Files that rank 0 reads and writes for all ranks. A failure is told to all, so that they end together.
#pragma once

#include <mpi.h>

#include <stdexcept>
#include <string>

namespace twomesh::app {

class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Collective. The content of a file that rank 0 sees.
[[nodiscard]] std::string read_for_all(MPI_Comm communicator, const std::string& path);
// Collective. Throws where rank 0 cannot write there; leaves an existing file as it is. An empty path is fine.
void require_writable(MPI_Comm communicator, const std::string& path);
// Collective. Throws where two results would go into one file, by whatever names; a device takes both.
void require_two_files(MPI_Comm communicator, const std::string& path, const std::string& other);
// On one rank.
void write_file(const std::string& path, const std::string& text);

}  // namespace twomesh::app
