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

// What was computed could not be handed over in full: rank 0's alone, all others have done their part.
class LostResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Collective. The content of a regular file that rank 0 sees.
[[nodiscard]] std::string read_for_all(MPI_Comm communicator, const std::string& path);
// Collective. Throws where rank 0 cannot write there, or would have to wait for somebody who reads; leaves an existing file
// as it is. An empty path is fine.
void require_writable(MPI_Comm communicator, const std::string& path);
// Collective. Throws where two results would go into one file, by whatever names; a device takes both.
void require_two_files(MPI_Comm communicator, const std::string& path, const std::string& other);
// Collective. Throws where the result would go over a file that the run has read. Empty paths are fine.
void require_kept(MPI_Comm communicator, const std::string& result, const std::string& read);
// On one rank. Throws LostResult.
void write_file(const std::string& path, const std::string& text);

}  // namespace twomesh::app
