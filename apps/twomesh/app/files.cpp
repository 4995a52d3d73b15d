// SPDX-License-Identifier: BSD-3-Clause
#include "app/files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "parallel/communicator.hpp"

namespace twomesh::app {
namespace {

void broadcast(MPI_Comm communicator, std::string& text) {
  auto length = static_cast<unsigned long>(text.size());
  MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG, 0, communicator);
  text.resize(length);
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, communicator);
}

// Every rank throws rank 0's complaint, if there is one.
void agree(MPI_Comm communicator, std::string complaint) {
  broadcast(communicator, complaint);
  if (!complaint.empty()) throw FileError(complaint);
}

std::string because(const std::string& what, const std::string& path) {
  return what + ' ' + path + ": " + std::strerror(errno);
}

// A folder opens as a file does: the buffer throws at the first read, whatever the stream's exceptions() say, and leaves
// the cause in errno.
bool read_to_end(std::ifstream& file, std::string& text) {
  try {
    text.assign(std::istreambuf_iterator<char>(file), {});
  } catch (const std::ios_base::failure&) {
    return false;
  }
  return !file.bad();
}

bool name_one_file(const std::filesystem::path& path, const std::filesystem::path& other) {
  std::error_code absent;
  if (std::filesystem::exists(path, absent) && !std::filesystem::is_regular_file(path, absent)) return false;
  if (std::filesystem::equivalent(path, other, absent)) return true;  // by links too
  const auto whole = [&](const auto& name) {
    return weakly_canonical(std::filesystem::absolute(name, absent), absent);
  };
  return whole(path) == whole(other);
}

}  // namespace

std::string read_for_all(MPI_Comm communicator, const std::string& path) {
  std::string text, complaint;
  if (parallel::rank_in(communicator) == 0) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file.is_open() || !read_to_end(file, text)) complaint = because("cannot read", path);
  }
  agree(communicator, complaint);
  broadcast(communicator, text);
  return text;
}

void require_writable(MPI_Comm communicator, const std::string& path) {
  std::string complaint;
  if (!path.empty() && parallel::rank_in(communicator) == 0) {
    if (!std::ofstream(path, std::ios::app)) complaint = because("cannot write", path);
  }
  agree(communicator, complaint);
}

void require_two_files(MPI_Comm communicator, const std::string& path, const std::string& other) {
  std::string complaint;
  if (!path.empty() && !other.empty() && parallel::rank_in(communicator) == 0 && name_one_file(path, other)) {
    complaint =
        "cannot write two results into one file: " + path + " and " + other + " are the same; give each its own";
  }
  agree(communicator, complaint);
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  if (!file.flush()) throw FileError(because("cannot write", path));
}

}  // namespace twomesh::app
