// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/launcher_version.hpp"

#include "cli/doctor/host.hpp"

namespace comity::cli {
namespace {

std::string word_after(const std::string& text, const std::string& label) {
  const std::size_t at = text.find(label);
  if (at == std::string::npos) return {};
  const auto words = split(std::string_view(text).substr(at + label.size()), " \t\n");
  return words.empty() ? std::string() : words.front();
}

}  // namespace

// Each MPI has its own manner.
std::string launcher_version(const std::string& output) {
  for (const char* label : {"(Open MPI)", "(OpenRTE)"}) {
    if (const std::string version = word_after(output, label); !version.empty()) return "Open MPI " + version;
  }
  if (const std::string version = word_after(output, "(PRRTE)"); !version.empty()) return "PRRTE " + version;
  if (output.find("Intel(R) MPI") != std::string::npos) return "Intel MPI " + word_after(output, "Version");
  if (output.find("HYDRA") != std::string::npos) return "MPICH " + word_after(output, "Version:");
  // Behind what the loader has to say of an LD_PRELOAD.
  for (const char* label : {"\nslurm ", "\nslurm-wlm "}) {  // the second one is Debian's
    if (const std::string version = word_after('\n' + output, label); !version.empty()) return "Slurm " + version;
  }
  return output.substr(0, output.find('\n'));
}

}  // namespace comity::cli
