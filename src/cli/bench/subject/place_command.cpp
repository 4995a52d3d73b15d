// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/subject/place_command.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>

#include "cli/bench/subject/scratch_file.hpp"
#include "os/process/beside.hpp"
#include "os/process/trial.hpp"

namespace comity::cli::bench {
namespace {

constexpr std::chrono::seconds kPatience{300};

// The command is this program, or, seen from a test, stands in the other folder of the build.
std::string command_path() {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  if (self.filename() == "comity") return self.string();
  return (self.parent_path().parent_path() / "bin" / "comity").string();
}

// Without the hosts of a job that this may run in, which a tree of switches would be cut down to.
std::vector<std::string> line_of(const std::vector<std::string>& words, const std::string& output) {
  constexpr const char* kScript = "unset SLURM_JOB_NODELIST PBS_NODEFILE; exec \"$@\" >\"$0\"";
  std::vector<std::string> line{"/bin/sh", "-c", kScript, output, command_path(), "place", "--json"};
  line.insert(line.end(), words.begin(), words.end());
  return line;
}

}  // namespace

// From a child that has no other children, for the kernel tells the most memory that any of them had. It also counts what
// the process had of its parent's before it became the command, which is less than a mapping takes.
std::optional<CommandFigures> by_command(const std::vector<std::string>& words) {
  const ScratchFile output, told;
  const std::vector<std::string> line = line_of(words, output.path());
  const std::string why = os::why_it_ends(
      [&] {
        const os::Used used = os::run_beside(line, {});
        const CommandFigures figures{used.seconds, 1e-6 * static_cast<double>(used.largest_bytes)};
        if (used.status != 0) return;
        std::ofstream(told.path(), std::ios::binary).write(reinterpret_cast<const char*>(&figures), sizeof figures);
      },
      kPatience);
  CommandFigures figures;
  std::ifstream file(told.path(), std::ios::binary);
  file.read(reinterpret_cast<char*>(&figures), sizeof figures);
  if (!why.empty() || file.gcount() != sizeof figures) return std::nullopt;
  figures.output_MB = 1e-6 * static_cast<double>(std::filesystem::file_size(output.path()));
  return figures;
}

void write_graph(const place::Graph& graph, const std::string& path) {
  std::ofstream file(path);
  file << "ranks " << graph.ranks() << '\n';
  for (place::Rank rank = 0; rank < graph.ranks(); ++rank) {
    graph.for_each_edge(rank, [&](place::Rank other, place::Weight weight) {
      if (rank < other) file << rank << ' ' << other << ' ' << weight << '\n';
    });
  }
}

}  // namespace comity::cli::bench
