// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/twomesh.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/error.hpp"
#include "base/shell.hpp"
#include "cli/bench/launch.hpp"
#include "os/command.hpp"

namespace comity::cli::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{120};

// Where a launch leaves its result; gone with this.
class ResultFile {
 public:
  ResultFile() : path_((fs::temp_directory_path() / "comity-bench-XXXXXX").string()) {
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) {
      throw Error(Status::system, "make a file in " + fs::temp_directory_path().string() + ": " +
                                      std::system_category().message(errno) +
                                      "; set TMPDIR to a folder that can be written");
    }
    ::close(descriptor);
  }
  ~ResultFile() { ::unlink(path_.c_str()); }
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] nlohmann::json read() const { return nlohmann::json::parse(std::ifstream(path_), nullptr, false); }

 private:
  std::string path_;
};

std::string program_of(const std::string& mpi) { return program_beside("twomesh-" + mpi).string(); }

}  // namespace

bool has_twomesh(const std::string& mpi) { return fs::exists(program_of(mpi)); }

Measurement run_twomesh(const std::vector<std::string>& before, const std::string& mpi, int ranks,
                        const std::vector<std::string>& arguments) {
  const ResultFile result;
  std::vector<std::string> words = before;
  for (const std::vector<std::string>& more :
       {start_words(mpi, ranks), {program_of(mpi)}, arguments, {"--json", result.path()}}) {
    words.insert(words.end(), more.begin(), more.end());
  }
  const os::CommandEnd end = os::run_command(words, kPatience);
  const nlohmann::json found = result.read();
  if (end.exit_code != 0 || !found.is_object()) {
    throw Error(Status::system, "run `" + shell_line(words) + "`: it failed; run it by hand. It said:\n" + end.output);
  }
  const nlohmann::json& sums = found.at("checksum");
  return {found.at("total_s").get<double>(), std::nullopt, found.at("ranks").get<int>(), found.at("threads").get<int>(),
          sums.at("fields").get<std::string>() + sums.at("cg").get<std::string>()};
}

}  // namespace comity::cli::bench
