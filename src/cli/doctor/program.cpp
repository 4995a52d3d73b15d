// SPDX-License-Identifier: BSD-3-Clause
// Program: how the program that was named comes by its MPI. Comity's library for an MPI, and all that is preloaded, work on
// the MPI that the loader brings; an MPI that the linker has put into the program is another one, out of their reach.
#include "cli/common/program_mpi.hpp"
#include "cli/doctor/checks.hpp"

namespace comity::cli {
namespace {

constexpr const char* kLinkShared =
    "Link it against the MPI's shared library: without -static, with the MPI's own compiler wrapper; then ldd lists "
    "libmpi.";

Finding check_file(const std::string& program, FileKind kind) {
  const std::string id = "program.file";
  const std::string why = "Nothing can be said about how it comes by its MPI.";
  switch (kind) {
    case FileKind::absent:
      return {id, Severity::error, program + " cannot be read", why,
              "Give the path of the program, or a name that is on the PATH."};
    case FileKind::special:
      return {id, Severity::error, program + " is no regular file", why,
              "Give the path of the program: a folder, a pipe or a device holds none."};
    case FileKind::script:
      return {id, Severity::note, program + " is a script", why, "Give the program that it starts in the end."};
    case FileKind::foreign:
      return {id, Severity::error, program + " is no program of this machine, or is broken",
              "It cannot be started here.",
              "Give an executable that was built for this machine; `file` says what it is."};
    case FileKind::library:
      return {id, Severity::note, program + " is a shared library", why, "Give the program that loads it."};
    case FileKind::fixed:
    case FileKind::dynamic:
      break;
  }
  return fine(id, program + " is a program of this machine");
}

Finding check_loader(const std::string& program, const ElfFile& file) {
  if (file.kind == FileKind::dynamic) return fine("program.loader", "the loader prepares it, so preloads reach it");
  const std::string mpi = file.defined.empty() ? "" : ", with MPI in it (" + some_of(file.defined) + ")";
  return {
      "program.loader", Severity::warning, program + " is linked statically" + mpi,
      "No loader prepares it: LD_PRELOAD is ignored, so no preloaded tool sees its calls of MPI, and libcomity, which "
      "is a shared library, cannot be in it.",
      kLinkShared};
}

Finding check_calls(const std::string& program, const ElfFile& file) {
  const std::string id = "program.mpi";
  if (has_mpi_inside(file)) {
    return {id, Severity::warning, program + " has an MPI linked into it (" + some_of(file.defined) + ")",
            "Its calls go there, past everything that is preloaded. libcomity_mpi would bring a second MPI into the "
            "process, "
            "which nobody initialises: each create would fail.",
            kLinkShared};
  }
  if (!file.defined.empty()) {
    return {id, Severity::note, program + " wraps functions of MPI itself (" + some_of(file.defined) + ")",
            "A preloaded library sees what the wrappers call (PMPI_...), not what the program does.",
            "Nothing, if it is meant: a tracing tool was linked into the program."};
  }
  const std::string library = mpi_library(file);
  if (calls_mpi_outside(file))
    return fine(id, "its MPI comes from " + (library.empty() ? "a library that it loads" : library));
  return fine(id, "it calls no MPI itself" + (library.empty() ? "" : ", but loads " + library));
}

// Below the root of the machine; the name itself where it is not found, so that it is told as one that cannot be read.
std::string place_of(const Host& host) {
  const bool is_path = host.program.find('/') != std::string::npos;
  const std::string found =
      place_of_program(host.program, host.variable("PATH").value_or(""),
                       [&](const std::string& path) { return is_path ? host.has(path) : host.has_program(path); });
  return host.root + (found.empty() ? host.program : found);
}

}  // namespace

Findings check_program(const Host& host) {
  if (host.program.empty()) return {};
  const ElfFile file = read_program(place_of(host));
  Findings found{check_file(host.program, file.kind)};
  if (file.kind == FileKind::fixed || file.kind == FileKind::dynamic) found.push_back(check_loader(host.program, file));
  if (file.kind == FileKind::dynamic) found.push_back(check_calls(host.program, file));
  return found;
}

}  // namespace comity::cli
