// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/subject/twomesh.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/shell.hpp"
#include "cli/bench/measure/launch.hpp"
#include "cli/bench/subject/scratch_file.hpp"
#include "os/process/command.hpp"

namespace comity::cli::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{120};

std::string program_of(const std::string& mpi) { return program_beside("twomesh-" + mpi).string(); }

}  // namespace

bool has_twomesh(const std::string& mpi) { return fs::exists(program_of(mpi)); }

Measurement run_twomesh(const std::vector<std::string>& before, const std::string& mpi, int ranks,
                        const std::vector<std::string>& arguments) {
  const ScratchFile result;
  std::vector<std::string> words = before;
  for (const std::vector<std::string>& more :
       {start_words(mpi, ranks), {program_of(mpi)}, arguments, {"--json", result.path()}}) {
    words.insert(words.end(), more.begin(), more.end());
  }
  const os::CommandEnd end = os::run_command(words, kPatience);
  const nlohmann::json found = nlohmann::json::parse(std::ifstream(result.path()), nullptr, false);
  if (end.exit_code != 0 || !found.is_object()) {
    throw Error(Status::system, "run `" + shell_line(words) + "`: it failed; run it by hand. It said:\n" + end.output);
  }
  const nlohmann::json& sums = found.at("checksum");
  return {found.at("total_s").get<double>(), std::nullopt, found.at("ranks").get<int>(), found.at("threads").get<int>(),
          sums.at("fields").get<std::string>() + sums.at("cg").get<std::string>()};
}

}  // namespace comity::cli::bench
