// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/plan.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/launcher_version.hpp"
#include "cli/run/launch_line.hpp"
#include "cli/run/program.hpp"
#include "cli/run/setting_name.hpp"
#include "record/kept.hpp"

namespace comity::cli::launch {
namespace {

constexpr std::size_t kLongestLine_bytes = 2048;  // of a launcher, in a variable of its ranks

constexpr const char* kInstall =
    "load your site's MPI module, or install one: apt install openmpi-bin, apt install mpich";

constexpr const char* kOff = "off";
constexpr const char* kAuto = "auto";
constexpr const char* kOn = "on";

struct Launcher {
  std::string word;
  std::string version;
  Family family = Family::open_mpi;
};

// None: it is not on the PATH.
std::optional<Launcher> ask(const Surroundings& here, const std::string& word) {
  const os::CommandEnd end = here.run({word, "--version"});
  if (end.timed_out) throw Error(Status::timeout, word + " --version does not end; check its installation");
  if (!end.exit_code) return std::nullopt;
  const std::string version = launcher_version(end.output);
  const std::optional<Family> family = family_of(version);
  if (!family && *end.exit_code != 0) {
    const std::string said = end.output.empty() ? "it says nothing" : end.output.substr(0, end.output.find('\n'));
    throw Error(Status::system, word + " --version fails with exit code " + std::to_string(*end.exit_code) + ": " +
                                    said + "; check its installation and LD_LIBRARY_PATH");
  }
  if (!family) {
    throw Error(Status::unsupported, word + " --version says \"" + version +
                                         "\", which is neither Open MPI nor MPICH nor Slurm; set the variables of "
                                         "docs/run.md with its own options");
  }
  return Launcher{word, version, *family};
}

Launcher require(const Surroundings& here, const std::string& word) {
  if (std::optional<Launcher> found = ask(here, word)) return *std::move(found);
  throw Error(Status::not_found, word + " is not here; " + kInstall);
}

// None also for one that cannot be used: another may be.
std::optional<Launcher> try_to_ask(const Surroundings& here, std::string_view word) {
  try {
    return ask(here, std::string(word));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// The first that starts ranks of that MPI; "": of any.
Launcher first_of(const Surroundings& here, const std::string& mpi) {
  for (const std::string_view name : kLauncherNames) {
    const std::optional<Launcher> found = try_to_ask(here, name);
    if (!found) continue;
    const std::string theirs = mpi_of(found->family);
    if (mpi.empty() || theirs.empty() || theirs == mpi) return *found;
  }
  const std::string of_it = mpi.empty() ? "" : " of " + std::string(title_of(mpi));
  throw Error(Status::not_found, "no launcher" + of_it + " is on the PATH; " + kInstall);
}

// A library of ours that can be preloaded. `advice`: what to do where it is missing.
std::string preloadable(const Surroundings& here, const std::string& name, const std::string& advice) {
  std::string folders;
  for (const std::string& folder : here.library_folders) {
    std::string path = folder;
    path.append("/").append(name);
    if (here.is_file(path)) {
      if (path.find_first_of(" :") == std::string::npos) return path;
      throw Error(Status::unsupported,
                  "LD_PRELOAD cannot name " + path +
                      ", for blanks and colons separate its entries; move Comity to another folder");
    }
    folders += (folders.empty() ? "" : " or ") + folder;
  }
  throw Error(Status::not_found, "there is no " + name + " in " + folders + "; " + advice);
}

// Whoever stands before malloc comes first: others may allocate while they are loaded.
std::string preload_libraries(const Request& request, const Surroundings& here, const std::string& mpi) {
  std::string ours = preloadable(
      here, "libcomity_preload-" + mpi + ".so",
      "install it (Debian: comity-preload-" + mpi + "), or build Comity with " + std::string(title_of(mpi)));
  if (!request.memory) return ours;
  return preloadable(here, "libcomity_memory.so",
                     "it comes with the command (Debian: comity), unless a build has sanitizers") +
         ':' + ours;
}

// Options with which the launcher looks for the program elsewhere than here.
bool looks_elsewhere(const Part& part, Family family, const IsProgram& is_program) {
  constexpr std::string_view kNames =
      " wd wdir dir D chdir path host hosts H f F hostfile machinefile default-hostfile add-host add-hostfile w "
      "nodelist "
      "nodefile bcast container multi-prog ";
  const auto options = split_options(family, part.options, is_program);
  return std::any_of(options.begin(), options.end(), [&](std::span<const std::string> option) {
    return kNames.find(' ' + option_name(option[0]) + ' ') != std::string_view::npos;
  });
}

[[noreturn]] void not_here(const std::string& program) {
  throw Error(Status::not_found,
              program + " is not here, or is no program that can be started; give its path, or a name on the PATH");
}

[[noreturn]] void which_mpi(const std::string& program, const std::string& also) {
  throw UsageError("which MPI " + program + " calls cannot be told from its file; say --mpi openmpi or --mpi mpich" +
                   also);
}

std::string note_of_unreachable(const std::string& name, const Program& program) {
  return name + ' ' + program.unreachable + ": no call of its MPI can be seen (`comity doctor " + name + "`)";
}

std::vector<Variable> variables_for(const Request& request, const Surroundings& here, const std::string& mpi) {
  std::vector<Variable> variables{{std::string(kPreload), preload_libraries(request, here, mpi)}};
  variables.insert(variables.end(), request.settings.begin(), request.settings.end());
  return variables;
}

// A record tells how its run was started, and ranks on other hosts cannot see the launcher's line.
void tell_launcher(std::vector<Variable>& variables, const std::vector<std::string>& words) {
  const bool records = std::any_of(variables.begin(), variables.end(), [&](const Variable& variable) {
    return variable.name == name_of(OptionId::record_directory);
  });
  if (!records) return;
  variables.push_back({std::string(name_of(OptionId::record_launcher)),
                       record::escaped(shortened(record::launcher_line(words), kLongestLine_bytes))});
}

// Whether cooperative ranks of that program sleep inside the MPI's own calls too; no where nobody can tell.
bool calls_back(const std::string& mpi, const Program& program) {
  return mpi == "openmpi" || program.ucx == OnUcx::yes;
}

// The programs of a launcher's line.
class Job {
 public:
  Job(const Surroundings& here, Launcher launcher, const std::vector<std::string>& words)
      : here_(here), launcher_(std::move(launcher)), line_(take_apart(launcher_.family, words, is_program_)) {
    for (const Part& part : line_.parts) look_at_part(part);
  }

  Plan plan(const Request& request) {
    plan_.launcher = launcher_.version;
    if (programs_ > 0 && unreachable_ == programs_) {
      plan_.words = put_together(line_);
      return plan_;
    }
    if (unreachable_ > 0 && !request.settings.empty()) refuse_a_job_in_part();
    plan_.mpi = mpi(request);
    plan_.calls_back = std::all_of(files_.begin(), files_.end(), [this](const Program& program) {
      return !program.unreachable.empty() || calls_back(plan_.mpi, program);
    });
    plan_.variables = variables_for(request, here_, plan_.mpi);
    if (!program_mpi_.empty() && program_mpi_ != plan_.mpi) {
      plan_.notes.push_back(told_by_ + " loads " + std::string(title_of(program_mpi_)) + ", and " + launcher_.word +
                            " starts ranks of " + std::string(title_of(plan_.mpi)) + ": each may be a job of one");
    }
    if (unreachable_ == 0 || request.coop == kOn) give_coop(request);
    tell_launcher(plan_.variables, put_together(line_));
    hand_over(line_, plan_.variables, here_.variable, is_program_);
    plan_.words = put_together(line_);
    return plan_;
  }

 private:
  void look_at_part(const Part& part) {
    Program& program = files_.emplace_back();
    if (part.program.empty()) return;  // the launcher has something to say about that
    const std::string& name = part.program.front();
    program = look_at(here_, name);
    if (program.path.empty() && !looks_elsewhere(part, line_.family, is_program_)) not_here(name);
    ++programs_;
    if (program_mpi_.empty() && !program.mpi.empty()) {
      program_mpi_ = program.mpi;
      told_by_ = name;
    }
    if (program.unreachable.empty()) return;
    ++unreachable_;
    plan_.notes.push_back(note_of_unreachable(name, program));
  }

  // Of the first program that gets the variable.
  [[nodiscard]] std::optional<std::string> given(std::string_view name) const {
    for (const Part& part : line_.parts) {
      if (auto value = value_for(line_, part, name, here_.variable, is_program_)) return value;
    }
    return std::nullopt;
  }

  // A word of the user's that is none of these is for the ranks to refuse.
  void give_coop(const Request& request) {
    const std::optional<std::string> theirs = given(name_of(OptionId::coop));
    const std::string wish = request.coop.empty() ? theirs.value_or(kAuto) : request.coop;
    if (wish != kOn && wish != kAuto && wish != kOff) return;
    const int cores = static_cast<int>(here_.cores);
    const JobShape shape = shape_of(line_, files_, launcher_.version, cores, here_.variable, is_program_);
    plan_.coop = plan_coop(wish, shape, cores, [this](std::string_view name) { return given(name); });
    if (plan_.coop.setting != theirs.value_or(kOff) || !request.coop.empty()) {
      plan_.variables.push_back({std::string(name_of(OptionId::coop)), plan_.coop.setting});
    }
    const auto& more = plan_.coop.variables;
    plan_.variables.insert(plan_.variables.end(), more.begin(), more.end());
  }

  // The ranks bring their figures together by messages, and one that no library watches would be waited for.
  [[noreturn]] void refuse_a_job_in_part() const {
    throw Error(Status::unsupported, plan_.notes.front() +
                                         ", and --metrics, --memory, --record and --reorder need all ranks of a job; "
                                         "link it dynamically, or run the job without them");
  }

  [[nodiscard]] std::string mpi(const Request& request) const {
    if (!request.mpi.empty()) return request.mpi;
    std::string of_launcher = mpi_of(launcher_.family);
    if (!of_launcher.empty()) return of_launcher;
    if (!program_mpi_.empty()) return program_mpi_;
    const std::vector<std::string>& program = line_.parts.front().program;
    which_mpi(program.empty() ? "the program" : program.front(), "");
  }

  const Surroundings& here_;
  IsProgram is_program_ = [this](const std::string& word) { return !place_of(here_, word).empty(); };
  Launcher launcher_;
  LaunchLine line_;
  Plan plan_;
  std::vector<Program> files_;  // of each part
  std::string program_mpi_;     // of the first program whose file tells
  std::string told_by_;         // that program
  int programs_ = 0;
  int unreachable_ = 0;
};

Plan plan_alone(const Request& request, const Surroundings& here) {
  const std::string& name = request.command.front();
  const Program program = look_at(here, name);
  if (program.path.empty()) not_here(name);
  Plan plan;
  plan.words = request.command;
  if (!program.unreachable.empty()) {
    plan.notes.push_back(note_of_unreachable(name, program));
    return plan;
  }
  plan.mpi = request.mpi.empty() ? program.mpi : request.mpi;
  if (plan.mpi.empty())
    which_mpi(name, "; where it starts a launcher, put `comity run --` before the launcher instead");
  plan.calls_back = calls_back(plan.mpi, program);
  plan.variables = variables_for(request, here, plan.mpi);
  Variable& preload = plan.variables.front();
  preload.value = preload_joined(preload.value, here.variable(kPreload).value_or(""));
  if (request.coop.empty() ||
      request.coop == kAuto) {  // one rank has nobody to wait for, unless their variable says so
    plan.coop.why = "no launcher starts other ranks";
    return plan;
  }
  plan.coop = {.setting = request.coop, .why = "asked for", .is_by_itself = false, .variables = {}};
  plan.variables.push_back({std::string(name_of(OptionId::coop)), request.coop});
  return plan;
}

}  // namespace

Plan make_plan(const Request& request, const Surroundings& here) {
  const std::string& first = request.command.front();
  const bool wants_launcher = request.ranks > 0 || !request.launcher.empty();
  if (is_launcher(first)) {
    if (wants_launcher) {
      throw UsageError("the command begins with a launcher, " + first +
                       "; give it the ranks itself, and leave --ranks and --launcher out");
    }
    return Job(here, require(here, first), request.command).plan(request);
  }
  if (!wants_launcher) return plan_alone(request, here);
  const std::string mpi = request.mpi.empty() ? look_at(here, first).mpi : request.mpi;
  Launcher launcher = request.launcher.empty() ? first_of(here, mpi) : require(here, request.launcher);
  std::vector<std::string> words{launcher.word};
  if (request.ranks > 0) words.insert(words.end(), {"-n", std::to_string(request.ranks)});
  words.insert(words.end(), request.command.begin(), request.command.end());
  return Job(here, std::move(launcher), words).plan(request);
}

}  // namespace comity::cli::launch
