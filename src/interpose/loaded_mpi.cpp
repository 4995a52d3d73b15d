// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/loaded_mpi.hpp"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/log.hpp"
#include "os/environment.hpp"

namespace comity::interpose {
namespace {

constexpr std::string_view kArea = "interpose";

#ifdef OPEN_MPI
constexpr std::array<std::string_view, 1> kOurs{"Open MPI"};
#else
// One binary interface for all of these.
constexpr std::array<std::string_view, 5> kOurs{"MPICH", "Intel(R) MPI", "MVAPICH", "CRAY MPICH", "Cray MPICH"};
#endif

// Whether an address belongs to the library that this function is part of.
bool is_ours(const void* address) {
  Dl_info theirs{};
  Dl_info ours{};
  return ::dladdr(address, &theirs) != 0 && ::dladdr(reinterpret_cast<void*>(&is_ours), &ours) != 0 &&
         theirs.dli_fbase == ours.dli_fbase;
}

struct Search {
  const char* name;
  void* found = nullptr;
};

// Looks into one library of the process, and what it needs.
int look_into(dl_phdr_info* library, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  void* const handle = ::dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return 0;
  void* const function = ::dlsym(handle, search.name);
  ::dlclose(handle);
  if (function == nullptr || is_ours(function)) return 0;
  search.found = function;
  return 1;
}

// A program that loads its MPI late, as Python does, keeps it out of the loader's common scope.
void* in_any_library(const char* name) {
  Search search{name};
  ::dl_iterate_phdr(look_into, &search);
  return search.found;
}

// MPICH 5 has two: its own, and the one that the MPI standard fixes, whose handles are others.
bool has_handles_of_the_standard(const void* function) {
  Dl_info library{};
  return ::dladdr(function, &library) != 0 &&
         std::string_view(library.dli_fname).find("/libmpi_abi.so") != std::string_view::npos;
}

// "Open MPI v4.1.4", "MPICH Version: 4.0.2": what comes before the first comma or the end of the line.
std::string short_name(std::string_view version) {
  std::string name(version.substr(0, version.find_first_of(",\n")));
  std::replace(name.begin(), name.end(), '\t', ' ');
  return name;
}

[[noreturn]] void missing(const std::string& name) {
  log::error(kArea, "the program uses " + name + ", which no MPI library of this process has");
  ::_exit(127);
}

}  // namespace

void* find_function(const std::string& name) {
  void* const next = ::dlsym(RTLD_NEXT, name.c_str());
  return next != nullptr ? next : in_any_library(name.c_str());
}

bool has_tool_behind(const std::string& name) { return find_function(name) != find_function('P' + name); }

void* real_function(const std::string& name) {
  if (void* const found = find_function(name)) return found;
  missing(name);
}

void* real_object(const std::string& name) {
  if (void* const found = ::dlsym(RTLD_DEFAULT, name.c_str())) return found;
  if (void* const late = in_any_library(name.c_str())) return late;
  missing(name);
}

bool may_speak_for_the_job() {
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const auto rank = os::environment(name)) return *rank == "0";
  }
  return true;
}

bool is_the_mpi_that_we_were_built_for() {
  std::array<char, 8192> text{};  // MPICH's longest; Open MPI's is shorter
  int length = 0;
  void* const function = real_function("PMPI_Get_library_version");
  reinterpret_cast<int (*)(char*, int*)>(function)(text.data(), &length);
  const std::string_view version = text.data();
  const bool other_handles = has_handles_of_the_standard(function);
  const bool ours = !other_handles && std::any_of(kOurs.begin(), kOurs.end(),
                                                  [&](std::string_view name) { return version.starts_with(name); });
  if (!ours && may_speak_for_the_job()) {
    log::warning(kArea, "built for " + std::string(kOurs[0]) + ", but the program runs with " + short_name(version) +
                            (other_handles ? " by the MPI standard's own interface (libmpi_abi)" : "") +
                            ": Comity steps aside, its calls are not seen");
  }
  return ours;
}

}  // namespace comity::interpose
