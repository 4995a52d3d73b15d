// SPDX-License-Identifier: BSD-3-Clause
#include "preload/run_facts.hpp"

#include <comity/version.h>
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/shell.hpp"
#include "base/utf8.hpp"
#include "interpose/loaded_mpi.hpp"
#include "os/code/loaded_files.hpp"
#include "os/environment.hpp"
#include "os/kernel.hpp"
#include "os/process/ancestors.hpp"
#include "real.hpp"
#include "record/kept.hpp"
#include "record/merge/names.hpp"

namespace comity::preload {
namespace {

using Table = std::map<std::string, std::string>;

constexpr std::uint64_t kMostEnvironment_bytes = 8U << 10U;
constexpr std::uint64_t kMostLine_bytes = 4U << 10U;
// Of the budget, where that is small: beside tables facts have room in a quarter of it.
constexpr std::uint64_t kEnvironmentPart = 32;
constexpr std::uint64_t kLinePart = 64;

std::string name_of_file(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string mpi_library() {
  Dl_info library{};
  void* const function = interpose::find_function("PMPI_Get_library_version");
  if (function == nullptr || ::dladdr(function, &library) == 0 || library.dli_fname == nullptr) return "unknown";
  return name_of_file(library.dli_fname);
}

bool is_launcher(const std::string& word) {
  constexpr std::array<std::string_view, 9> kNames{"mpirun", "mpiexec", "orterun", "prterun", "prun",
                                                   "srun",   "aprun",   "jsrun",   "ibrun"};
  const std::string name = name_of_file(word);
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view known) {
    return name == known || name.starts_with(std::string(known) + '.');
  });
}

// Who was started by `comity run` knows it from there; else a launcher may be among our parents, unless it is on another host.
std::string launcher_line(const Options& options) {
  const std::string& told = options.text(OptionId::record_launcher);
  if (!told.empty()) return record::unescaped(told);
  for (const os::Ancestor& ancestor : os::ancestors()) {
    if (!ancestor.words.empty() && is_launcher(ancestor.words.front())) return record::launcher_line(ancestor.words);
  }
  return "unknown: no launcher is among this rank's parents, and `comity run` told of none";
}

std::string build_of(const os::LoadedFile& file) {
  return file.build_id.empty() ? "linked without a build id" : "build id " + file.build_id;
}

// By its own name, which tells its version: libmpi.so.40.30.4. That of ours has none, so it is a fact of its own.
std::string place_of(const std::string& path) {
  std::error_code problem;
  const std::filesystem::path real = std::filesystem::canonical(path, problem);
  return problem ? path : real.string();
}

// Those that decide how a program of MPI runs.
bool matters(const std::string& name, const std::string& mpi) {
  constexpr std::array<std::string_view, 14> kNames{"libcomity", "libmpi",  "libgomp",     "libomp",  "libiomp5",
                                                    "libhwloc",  "libucp.", "libuct.",     "libpmix", "libpsm2.",
                                                    "libfabric", "libmkl_", "libopenblas", "libc.so"};
  return name == mpi ||
         std::any_of(kNames.begin(), kNames.end(), [&](std::string_view known) { return name.starts_with(known); });
}

void add_files(Table& facts) {
  const std::vector<os::LoadedFile> files = os::loaded_files();
  const std::string mpi = mpi_library();
  facts[record::kMpiLibraryFact] = mpi;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string name = name_of_file(files[i].path);
    if (i == 0) facts[record::kProgramBuildFact] = files[i].build_id.empty() ? "none" : files[i].build_id;
    if (i == 0 || !matters(name, mpi)) continue;
    facts[std::string(record::kLibraryFacts) + name] = place_of(files[i].path) + ", " + build_of(files[i]);
  }
}

// Of an interpreter its own; the script stands in the arguments.
std::string program_name() {
  std::error_code problem;
  return std::filesystem::read_symlink("/proc/self/exe", problem).filename().string();
}

}  // namespace

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  interpose::real::MPI_Get_library_version(text.data(), &length);
  std::string version(text.data());
  std::replace(version.begin(), version.end(), '\t', ' ');
  return version.substr(0, version.find('\n'));
}

Table run_facts(const Options& options, const CpuSet& binding, std::uint64_t budget_bytes) {
  const std::uint64_t most_line_bytes = std::min(kMostLine_bytes, budget_bytes / kLinePart);
  Table facts = record::environment_facts(os::environment_entries(),
                                          std::min(kMostEnvironment_bytes, budget_bytes / kEnvironmentPart));
  facts[record::kProgramFact] = program_name();
  facts[record::kArgumentsFact] = shortened(shell_line(os::own_words()), most_line_bytes);
  facts[record::kLauncherFact] = shortened(launcher_line(options), most_line_bytes);
  facts[record::kHostFact] = os::host_name();
  facts[record::kBindingFact] = binding.to_list();
  facts[record::kComityFact] = COMITY_VERSION_STRING;
  facts[record::kMpiFact] = mpi_version();
  add_files(facts);
  for (std::size_t i = 0; i < kOptionTable.size(); ++i) {
    const auto id = static_cast<OptionId>(i);
    if (id == OptionId::record_launcher) continue;  // that is a fact of its own
    facts[std::string(record::kSettingFacts).append(kOptionTable[i].name)] = options.text(id);
  }
  return facts;
}

}  // namespace comity::preload
