// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/job_shape.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "coop/decision/idle_threads.hpp"

namespace comity::cli::launch {
namespace {

// Names without dashes, between blanks, of all launchers: a name that one of them lacks does no harm.
constexpr std::string_view kRanks = " n np c ";
constexpr std::string_view kHosts =
    " H host hosts f hostfile machinefile machine default-hostfile add-host add-hostfile configfile app rankfile rf N "
    "npernode pernode npersocket ";
constexpr std::string_view kBindings =
    " bind-to binding bind-to-core bind-to-socket bind-to-none map-by rank-by bycore bysocket bynode byslot cpu-set "
    "cpu-list slot-list rankfile rf cpus-per-proc cpus-per-rank membind ";
constexpr std::string_view kParameters = " mca gmca omca prtemca ";  // NAME VALUE
// A batch system's or the shell's word on the hosts, or on bindings.
constexpr std::array<const char*, 8> kHostVariables{"SLURM_JOB_ID",
                                                    "PBS_NODEFILE",
                                                    "LSB_HOSTS",
                                                    "PE_HOSTFILE",
                                                    "HYDRA_HOST_FILE",
                                                    "OMPI_MCA_orte_default_hostfile",
                                                    "PRTE_MCA_prte_default_hostfile",
                                                    "FLUX_URI"};
constexpr std::array<const char*, 9> kBindingVariables{"HYDRA_BINDING",
                                                       "HYDRA_MAPPING",
                                                       "I_MPI_PIN_DOMAIN",
                                                       "OMPI_MCA_hwloc_base_binding_policy",
                                                       "OMPI_MCA_hwloc_base_cpu_list",
                                                       "OMPI_MCA_rmaps_base_mapping_policy",
                                                       "PRTE_MCA_hwloc_default_binding_policy",
                                                       "PRTE_MCA_hwloc_default_cpu_list",
                                                       "PRTE_MCA_rmaps_default_mapping_policy"};

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || value < 1) return std::nullopt;
  return end == text.data() + text.size() || *end == ',' ? std::optional(value) : std::nullopt;
}

bool any_is_set(std::span<const char* const> names, const Environment& environment) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return environment(name).has_value(); });
}

bool is_among(std::string_view names, const std::string& option) {
  return names.find(' ' + option_name(option) + ' ') != std::string_view::npos;
}

class Shape {
 public:
  Shape(const LaunchLine& line, const std::vector<Program>& programs, int cores, const Environment& environment,
        const IsProgram& is_program)
      : line_(line), programs_(programs), cores_(cores), environment_(environment), is_program_(is_program) {}

  JobShape look(const std::string& launcher_version) const {
    JobShape shape;
    shape.on_this_node =
        line_.family != Family::slurm && !has_option(kHosts) && !any_is_set(kHostVariables, environment_);
    shape.binds_by_wish =
        has_option(kBindings) || has_parameter_of_bindings() || any_is_set(kBindingVariables, environment_);
    shape.binds_by_default = !launcher_version.starts_with("MPICH");
    const auto tells_its_mpi = [](const Program& program) { return !program.mpi.empty(); };
    const bool all_tell = std::all_of(programs_.begin(), programs_.end(), tells_its_mpi);
    shape.is_one_program = line_.parts.size() == 1 || all_tell;
    shape.may_spread = line_.family == Family::open_mpi && !shape.binds_by_wish && all_tell;
    const bool is_free = !shape.binds_by_default && !shape.binds_by_wish;
    for (std::size_t i = 0; i < line_.parts.size(); ++i) {
      shape.parts.push_back(look_at_part(line_.parts[i], programs_[i], is_free));
    }
    return shape;
  }

 private:
  // `is_free`: no rank is bound.
  [[nodiscard]] PartShape look_at_part(const Part& part, const Program& program, bool is_free) const {
    PartShape shape;
    shape.ranks = ranks_of(part);
    if (program.openmp == HasOpenMp::no) {
      const bool has_pool = program.openblas == HasOpenBlas::yes;
      return {.ranks = shape.ranks, .threads = has_pool ? told_openblas(part) : 1, .threads_known = true};
    }
    if (const auto threads = number_for(part, coop::kTeamSize)) {
      shape.threads = *threads;
      shape.threads_known = true;
    } else if (program.openmp == HasOpenMp::yes && is_free) {  // then a runtime counts the cores
      shape.threads = cores_;
      shape.threads_known = true;
    }
    if (const auto limit = number_for(part, coop::kTeamLimit)) shape.threads = std::min(shape.threads, *limit);
    return shape;
  }

  [[nodiscard]] std::optional<int> number_for(const Part& part, std::string_view variable) const {
    const auto text = value_for(line_, part, variable, environment_, is_program_);
    return text ? number(*text) : std::nullopt;
  }

  // It takes all cores unless told; but who does not tell may have it for a few calls.
  [[nodiscard]] int told_openblas(const Part& part) const {
    for (const std::string_view name : coop::kOwnThreadsOfOpenBlas) {
      if (const auto threads = number_for(part, name)) return *threads;
    }
    return number_for(part, coop::kTeamSize).value_or(1);
  }

  [[nodiscard]] std::optional<int> ranks_of(const Part& part) const {
    std::optional<int> ranks;
    if (line_.family == Family::hydra) ranks = 1;
    for (const std::span<const std::string> option : split_options(line_.family, part.options, is_program_)) {
      if (!is_among(kRanks, option[0])) continue;
      const std::size_t equals = option[0].find('=');
      ranks = number(equals == std::string::npos ? std::string_view(option.back())
                                                 : std::string_view(option[0]).substr(equals + 1));
    }
    return ranks;
  }

  template <typename Wanted>
  [[nodiscard]] bool any_option(const Wanted& is_wanted) const {
    return std::any_of(line_.parts.begin(), line_.parts.end(), [&](const Part& part) {
      const auto options = split_options(line_.family, part.options, is_program_);
      return std::any_of(options.begin(), options.end(), is_wanted);
    });
  }

  [[nodiscard]] bool has_option(std::string_view names) const {
    return any_option([&](std::span<const std::string> option) { return is_among(names, option[0]); });
  }

  [[nodiscard]] bool has_parameter_of_bindings() const {
    return any_option([](std::span<const std::string> option) {
      return option.size() > 1 && is_among(kParameters, option[0]) &&
             (option[1].starts_with("hwloc") || option[1].starts_with("rmaps"));
    });
  }

  const LaunchLine& line_;
  const std::vector<Program>& programs_;
  int cores_;
  const Environment& environment_;
  const IsProgram& is_program_;
};

}  // namespace

JobShape shape_of(const LaunchLine& line, const std::vector<Program>& programs, const std::string& launcher_version,
                  int cores, const Environment& environment, const IsProgram& is_program) {
  return Shape(line, programs, cores, environment, is_program).look(launcher_version);
}

}  // namespace comity::cli::launch
