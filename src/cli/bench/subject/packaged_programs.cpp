// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/subject/packaged_programs.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/shell.hpp"
#include "cli/bench/subject/packaged_inputs.hpp"
#include "cli/bench/subject/scratch_folder.hpp"
#include "cli/run/family.hpp"
#include "cli/run/program.hpp"
#include "cli/run/surroundings.hpp"
#include "os/process/command.hpp"

namespace comity::cli::bench {
namespace {

constexpr std::chrono::seconds kPatience{600};             // of what ends by itself sooner
constexpr std::size_t kMostBytes = std::size_t{8} << 20U;  // the answer stands at the end

const std::vector<PackagedProgram>& table() {
  static const std::vector<PackagedProgram> all{
      {.programs = {"cp2k.psmp", "cp2k"},
       .package = "cp2k",
       .hybrid_case = "hybrid_2x2_cp2k",
       .crowded_case = "crowded_8_cp2k",
       .arguments = {"water.inp"},
       .answer = "ENERGY| Total FORCE_EVAL",
       .write_input = write_cp2k},
      {.programs = {"gmx_mpi"},
       .package = "gromacs",
       .hybrid_case = "hybrid_2x2_gromacs",
       .crowded_case = "crowded_8_gromacs",
       .arguments = {"mdrun", "-s", "water.tpr", "-deffnm", "water", "-reprod"},  // the same steps in any layout
       .before = {"grompp", "-f", "water.mdp", "-c", "water.gro", "-p", "water.top", "-o", "water.tpr"},
       .answer_file = "water.log",
       .answer = "Coul. recip.",  // heads a line of the table of means
       .digits = 3,
       .write_input = write_gromacs},
      {.programs = {"elk-lapw", "elk"},
       .package = "elk-lapw",
       .hybrid_case = "hybrid_2x2_elk",
       .crowded_case = "",
       .arguments = {},
       .answer_file = "TOTENERGY.OUT",
       .answer = "",
       .write_input = write_elk},
      {.programs = {"nwchem.openmpi", "nwchem.mpich", "nwchem"},
       .package = "nwchem-openmpi or nwchem-mpich",
       .hybrid_case = "hybrid_2x2_nwchem",
       .crowded_case = "crowded_8_nwchem",
       .arguments = {"water.nw"},
       .mpich_setting = "ARMCI_USE_WIN_ALLOCATE=0",  // else wrong energies, or none, with 4.0, bare too
       .answer = "Total CCSD energy:",
       .write_input = write_nwchem},
      {.programs = {"BAGEL"},
       .package = "bagel",
       .hybrid_case = "hybrid_2x2_bagel",
       .crowded_case = "",
       .arguments = {"benzene.json"},
       .threads_variable = "BAGEL_NUM_THREADS",
       .answer = "MP2 total energy:",
       .write_input = write_bagel},
      {.programs = {"lmp"},
       .package = "lammps",
       .hybrid_case = "",
       .crowded_case = "crowded_8_lammps",
       .arguments = {"-in", "melt.in"},
       .answer = "energy at the end",
       .digits = 4,  // of 400 steps, in which atoms part
       .write_input = write_lammps},
  };
  return all;
}

std::optional<double> as_number(const std::string& word) {
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0') return std::nullopt;
  return number;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

using Words = std::vector<std::string>;

Words joined(std::initializer_list<Words> parts) {
  Words all;
  for (const Words& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Words words_of(const std::vector<std::string_view>& views) { return {views.begin(), views.end()}; }

// None: it was ended by `timeout`, which asks a launcher to end its ranks too.
std::optional<std::string> output_of(const Words& words) {
  constexpr int kOutOfTime = 124;
  constexpr int kOutOfTimeAndKilled = 128 + SIGKILL;
  os::CommandEnd end = os::run_command(words, kPatience, kMostBytes);
  if (end.exit_code == 0) return std::move(end.output);
  if (end.exit_code == kOutOfTime || end.exit_code == kOutOfTimeAndKilled) return std::nullopt;
  constexpr std::size_t kTail = 2000;
  const std::size_t from = end.output.size() > kTail ? end.output.size() - kTail : 0;
  throw Error(Status::system,
              "run `" + shell_line(words) + "`: it failed; run it by hand. It said:\n" + end.output.substr(from));
}

}  // namespace

std::span<const PackagedProgram> packaged_programs() { return table(); }

const PackagedProgram* packaged_of_case(std::string_view name) {
  const auto found = std::find_if(table().begin(), table().end(), [&](const PackagedProgram& program) {
    return !name.empty() && (program.hybrid_case == name || program.crowded_case == name);
  });
  return found == table().end() ? nullptr : &*found;
}

FoundProgram find_packaged(const PackagedProgram& program, const std::string& mpi) {
  const launch::Surroundings here = launch::this_machine();
  std::string why = std::string(program.programs.front()) + " is not on the PATH (Debian's package " +
                    std::string(program.package) + ")";
  for (const std::string_view name : program.programs) {
    const launch::Program file = launch::look_at(here, std::string(name));
    if (file.path.empty()) continue;
    if (file.mpi.empty() || file.mpi == mpi) return {file.path, {}};
    why = file.path + " is built for " + std::string(launch::title_of(file.mpi));
  }
  return {{}, why};
}

std::optional<std::string> read_answer(std::string_view text, std::string_view words, int digits) {
  const std::size_t at = words.empty() ? 0 : text.rfind(words);
  if (at == std::string_view::npos) return std::nullopt;
  std::istringstream rest{std::string(text.substr(at + words.size()))};
  std::optional<double> found;
  for (std::string word; rest >> word;) {
    const std::optional<double> number = as_number(word);
    if (!number) continue;
    found = number;
    if (!words.empty()) break;  // else the last of all
  }
  if (!found) return std::nullopt;
  std::array<char, 64> shown{};
  std::snprintf(shown.data(), shown.size(), "%.*e", digits - 1, *found);
  return shown.data();
}

std::optional<PackagedRun> run_packaged(const PackagedProgram& program, const std::string& path,
                                        const std::vector<std::string>& before,
                                        const std::vector<std::string>& launcher, int most_seconds) {
  const ScratchFolder folder;
  program.write_input(folder.path());
  const Words there{"env", "-C", folder.path()};
  if (!program.before.empty()) (void)output_of(joined({there, {path}, words_of(program.before)}));
  const Words words = joined({there,
                              {"timeout", "-k", "5", std::to_string(most_seconds)},
                              before,
                              launcher,
                              {path},
                              words_of(program.arguments)});
  const std::int64_t start_ns = now_ns();
  std::optional<std::string> said = output_of(words);
  const double seconds = 1e-9 * static_cast<double>(now_ns() - start_ns);
  if (!said) return std::nullopt;
  if (!program.answer_file.empty()) said = text_of(folder.path() + "/" + std::string(program.answer_file));
  std::optional<std::string> answer = read_answer(*said, program.answer, program.digits);
  if (!answer) {
    throw Error(Status::system,
                "run `" + shell_line(words) + "`: it did not say what it has worked out; run it by hand");
  }
  return PackagedRun{seconds, *std::move(answer)};
}

}  // namespace comity::cli::bench
