// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/hand_over.hpp"

#include <algorithm>
#include <array>

#include "cli/common/arguments.hpp"
#include "cli/doctor/host.hpp"

namespace comity::cli::launch {
namespace {

using Words = std::vector<std::string>;

// A variable as an option of the user's names it.
struct Given {
  std::string name;
  std::optional<std::string> value;  // none: the one of the launcher's environment
};

Given given_by(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {text, std::nullopt};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// "-genv NAME VALUE" and "-x NAME=VALUE" alike.
Given given_by(std::span<const std::string> option) {
  if (option.size() < 2) return {};
  Given given = given_by(option[1]);
  if (option.size() > 2) given.value = option[2];
  return given;
}

const Variable* find(const std::vector<Variable>& variables, const std::string& name) {
  const auto found =
      std::find_if(variables.begin(), variables.end(), [&](const Variable& variable) { return variable.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

// Calls `on_option` with the words of each; it returns those to keep in their place.
template <typename OnOption>
void replace_options(Family family, Words& options, const IsProgram& is_program, const OnOption& on_option) {
  Words kept;
  for (const std::span<const std::string> option : split_options(family, options, is_program)) {
    const Words words = on_option(option);
    kept.insert(kept.end(), words.begin(), words.end());
  }
  options = std::move(kept);
}

// The last of these options that sets it.
std::optional<Given> last_given(Family family, const Words& options, std::span<const std::string_view> setters,
                                std::string_view name, const IsProgram& is_program) {
  std::optional<Given> last;
  for (const std::span<const std::string> option : split_options(family, options, is_program)) {
    const std::string setter = option_name(option[0]);
    if (std::find(setters.begin(), setters.end(), setter) == setters.end()) continue;
    Given given = given_by(option);
    if (given.name == name) last = std::move(given);
  }
  return last;
}

class HandOver {
 public:
  HandOver(const std::vector<Variable>& variables, const Environment& environment, const IsProgram& is_program)
      : variables_(variables), environment_(environment), is_program_(is_program) {}

  // Each program has variables of its own: -x NAME=VALUE.
  void to_open_mpi(Part& part) const {
    Words ours;
    std::string theirs = inherited_preload();
    replace_options(Family::open_mpi, part.options, is_program_, [&](std::span<const std::string> option) -> Words {
      const std::string name = option_name(option[0]);
      if (name == "app") {
        throw UsageError(
            "mpirun --app takes all its options from that file, so nothing can be added to it here; write "
            "-x LD_PRELOAD=.. into its lines (docs/run.md)");
      }
      const Given given = name == "x" ? given_by(option) : Given{};
      if (find(variables_, given.name) == nullptr) return {option.begin(), option.end()};
      if (given.name == kPreload && given.value) theirs = *given.value;
      return {};
    });
    for (const Variable& variable : variables_) {
      ours.insert(ours.end(), {"-x", variable.name + '=' + merged(variable, theirs)});
    }
    part.options.insert(part.options.begin(), ours.begin(), ours.end());
  }

  // The first program's options say what all have (-genv); one may say otherwise for itself (-env).
  void to_hydra(std::vector<Part>& parts) const {
    std::string theirs = inherited_preload();
    for (Part& part : parts) {
      replace_options(Family::hydra, part.options, is_program_, [&](std::span<const std::string> option) -> Words {
        const std::string name = option_name(option[0]);
        const bool sets = name == "genv" || name == "env";
        const Given given = sets ? given_by(option) : Given{};
        const Variable* const variable = find(variables_, given.name);
        if (variable == nullptr) return {option.begin(), option.end()};
        if (given.name != kPreload || !given.value) return {};
        if (name == "env") return {option[0], given.name, merged(*variable, *given.value)};
        theirs = *given.value;
        return {};
      });
    }
    Words ours;
    for (const Variable& variable : variables_) {
      ours.insert(ours.end(), {"-genv", variable.name, merged(variable, theirs)});
    }
    parts.front().options.insert(parts.front().options.begin(), ours.begin(), ours.end());
  }

  // One option lists all that a program has: --export=ALL,NAME=VALUE.
  void to_slurm(Part& part) const {
    std::string list = environment_("SLURM_EXPORT_ENV").value_or("ALL");
    replace_options(Family::slurm, part.options, is_program_, [&](std::span<const std::string> option) -> Words {
      if (!option[0].starts_with("--") || option_name(option[0]) != "export") return {option.begin(), option.end()};
      const std::size_t equals = option[0].find('=');
      list = equals == std::string::npos ? std::string(option.back()) : option[0].substr(equals + 1);
      return {};
    });
    part.options.insert(part.options.begin(), "--export=" + exports(list));
  }

 private:
  std::string exports(const std::string& list) const {
    std::string kept;
    std::string theirs;
    for (const std::string& item : split(list, ",")) {
      const Given given = given_by(item);
      const bool names_preload = given.name == kPreload || given.name == "ALL";
      if (names_preload) theirs = given.value.value_or(theirs.empty() ? inherited_preload() : theirs);
      const bool nothing = item == "NONE" || item == "NIL";  // beside variables a list without ALL says the same
      if (!nothing && find(variables_, given.name) == nullptr) kept += item + ',';
    }
    for (const Variable& variable : variables_) {
      const std::string value = merged(variable, theirs);
      if (value.find(',') != std::string::npos) {
        throw UsageError("srun separates variables by commas, and " + variable.name + '=' + value +
                         " has one; take another name for it");
      }
      kept += variable.name + '=' + value + ',';
    }
    kept.pop_back();
    return kept;
  }

  [[nodiscard]] std::string inherited_preload() const { return environment_(kPreload).value_or(""); }

  static std::string merged(const Variable& ours, const std::string& theirs) {
    return ours.name == kPreload ? preload_joined(ours.value, theirs) : ours.value;
  }

  const std::vector<Variable>& variables_;
  const Environment& environment_;
  const IsProgram& is_program_;
};

}  // namespace

std::string preload_joined(const std::string& ours, const std::string& theirs) {
  const Words known = split(theirs, ": ");
  std::string joined;
  for (const std::string& entry : split(ours, ":")) {
    if (std::find(known.begin(), known.end(), entry) == known.end()) joined += entry + ':';
  }
  if (theirs.empty()) joined.pop_back();
  return joined + theirs;
}

std::optional<std::string> value_for(const LaunchLine& line, const Part& part, std::string_view name,
                                     const Environment& environment, const IsProgram& is_program) {
  constexpr std::array<std::string_view, 2> kOwn{"x", "env"};
  constexpr std::array<std::string_view, 1> kOfAll{"genv"};
  std::optional<Given> given = last_given(line.family, part.options, kOwn, name, is_program);
  for (const Part& other : line.parts) {
    if (!given) given = last_given(line.family, other.options, kOfAll, name, is_program);
  }
  return given && given->value ? given->value : environment(name);
}

void hand_over(LaunchLine& line, const std::vector<Variable>& variables, const Environment& environment,
               const IsProgram& is_program) {
  if (variables.empty()) return;
  const HandOver to(variables, environment, is_program);
  switch (line.family) {
    case Family::open_mpi:
      for (Part& part : line.parts) to.to_open_mpi(part);
      return;
    case Family::hydra:
      to.to_hydra(line.parts);
      return;
    case Family::slurm:
      for (Part& part : line.parts) to.to_slurm(part);
      return;
  }
}

}  // namespace comity::cli::launch
