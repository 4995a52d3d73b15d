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

constexpr std::uintmax_t kLargestFile_bytes = std::uintmax_t{256} << 20U;  // twice the result of a million steps

// Why a file is not even opened; empty: it is. A pipe could keep all ranks waiting, a device may have no end. A folder is
// left to the read, whose words are the kernel's.
std::string why_unread(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (!exists(status) || is_directory(status)) return {};
  if (!is_regular_file(status)) return "it is no regular file";
  const bool large = std::filesystem::file_size(path, ignored) > kLargestFile_bytes;
  return large ? "it is larger than 256 MiB" : "";
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

// What is wrong with the file; empty: `text` has it.
std::string read_or_complain(const std::string& path, std::string& text) {
  if (const std::string why = why_unread(path); !why.empty()) return "cannot read " + path + ": " + why;
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  const bool done = file.is_open() && read_to_end(file, text);
  return done ? "" : because("cannot read", path);
}

// Why a file is not even opened for writing; empty: it is. A named pipe waits for a reader, who has gone by the time that the
// result comes. A pipe without a name, as /dev/stdout may be, is open already.
std::string why_unwritten(const std::string& path) {
  std::error_code ignored, nameless;
  if (!is_fifo(std::filesystem::status(path, ignored))) return {};
  (void)std::filesystem::canonical(path, nameless);
  return nameless ? "" : "it is a pipe, whose reader all ranks would wait for; name a file, or /dev/stdout";
}

// What is wrong with it; empty: it can be written.
std::string open_or_complain(const std::string& path) {
  if (const std::string why = why_unwritten(path); !why.empty()) return "cannot write " + path + ": " + why;
  return std::ofstream(path, std::ios::app) ? "" : because("cannot write", path);
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
  if (parallel::rank_in(communicator) == 0) complaint = read_or_complain(path, text);
  agree(communicator, complaint);
  broadcast(communicator, text);
  return text;
}

void require_writable(MPI_Comm communicator, const std::string& path) {
  std::string complaint;
  if (!path.empty() && parallel::rank_in(communicator) == 0) complaint = open_or_complain(path);
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

void require_kept(MPI_Comm communicator, const std::string& result, const std::string& read) {
  std::string complaint;
  if (!result.empty() && !read.empty() && parallel::rank_in(communicator) == 0 && name_one_file(result, read)) {
    complaint = "cannot write the result over what the run reads: " + result + " and " + read +
                " are the same; give the result a file of its own";
  }
  agree(communicator, complaint);
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  if (!file.flush()) throw LostResult(because("cannot write", path));
}

}  // namespace twomesh::app
