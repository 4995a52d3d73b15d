// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/launch_files.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/shell.hpp"
#include "cli/common/arguments.hpp"
#include "cli/place/equal_nodes.hpp"
#include "cli/place/rankfile.hpp"
#include "cli/place/wrapper.hpp"

namespace comity::cli {
namespace {

using place::Plan;
using place::Rank;

class Writer {
 public:
  Writer(const LaunchFormName& form, const Plan& plan, const std::vector<std::string>& hosts, const std::string& folder,
         const std::vector<std::string>& program)
      : form_(form), plan_(plan), hosts_(hosts), folder_(folder), program_(program), started_(plan.ranks()) {
    std::iota(started_.begin(), started_.end(), Rank{0});
  }

  LaunchFiles write() {
    switch (form_.form) {
      case LaunchForm::openmpi4:
        write_openmpi4();
        break;
      case LaunchForm::openmpi5:
        write_openmpi5();
        break;
      case LaunchForm::mpich:
        write_hydra();
        break;
      case LaunchForm::slurm:
        write_slurm();
        break;
      case LaunchForm::cray:
      case LaunchForm::aprun:
      case LaunchForm::pals:
        write_rank_order();
        break;
    }
    add_note_of_trial();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + '/' + name; }
  [[nodiscard]] std::string count() const { return std::to_string(plan_.ranks()); }
  [[nodiscard]] const std::string& host_of(Rank rank) const { return hosts_[plan_.seat(rank).node]; }

  void add_file(const std::string& name, std::string text) { result_.files.push_back({name, std::move(text)}); }

  // An OpenMP program that is told nothing starts a thread on each CPU that it may run on: on each hardware thread of one core, too.
  [[nodiscard]] bool has_cpus_for_more_threads() const {
    for (Rank rank = 0; rank < plan_.ranks(); ++rank) {
      if (plan_.cpus(rank).count() > 1) return true;
    }
    return false;
  }

  // The launcher's words, then the program, behind the wrapper where one is needed.
  void set_line(std::vector<std::string> words, WrapperBinds binds, const std::string& variables = {}) {
    if (binds == WrapperBinds::yes || has_cpus_for_more_threads()) {
      const std::string name(kWrapperName);
      result_.files.push_back({name, wrapper_text(form_, plan_, started_, binds), true});
      words.push_back(path(name));
    }
    words.insert(words.end(), program_.begin(), program_.end());
    result_.line = variables + shell_line(words);
  }

  void write_openmpi4() {
    Rankfile file = openmpi4_rankfile(plan_, hosts_);
    add_file("rankfile", std::move(file.text));
    set_line({"mpirun", "-n", count(), "--rankfile", path("rankfile")}, binds(file));
  }

  // That it binds is said, for an environment may have it bind nobody, and it looks at no core of the file then.
  void write_openmpi5() {
    if (folder_.find(':') != std::string::npos) {
      throw Error(Status::unsupported, "write for " + std::string(form_.name) +
                                           ": it reads the name of a file up to a colon, and " + folder_ +
                                           " has one; take another folder");
    }
    write_slots();
    Rankfile file = openmpi5_rankfile(plan_, hosts_);
    add_file("rankfile", std::move(file.text));
    std::vector<std::string> words{"mpirun", "-n", count(), "--hostfile", path("hosts"), "--map-by"};
    words.insert(words.end(), {"rankfile:file=" + path("rankfile"), "--bind-to", file.binds ? "core" : "none"});
    if (file.binds && numbers_differ_between_nodes(plan_)) {
      words.insert(words.end(), {"--prtemca", "prte_hetero_nodes", "1"});
    }
    set_line(std::move(words), binds(file));
  }

  static WrapperBinds binds(const Rankfile& file) { return file.binds ? WrapperBinds::no : WrapperBinds::yes; }

  // 5 takes its hosts from here; 4 finds them in the rankfile.
  void write_slots() {
    std::string text;
    for (std::size_t node = 0; node < plan_.nodes(); ++node) {
      const std::size_t ranks = plan_.ranks_of_nodes()[node].size();
      if (ranks > 0) text += hosts_[node] + " slots=" + std::to_string(ranks) + '\n';
    }
    add_file("hosts", std::move(text));
  }

  // By the turn on a node, which is all that such a list can say; none where nodes differ in it.
  template <typename Text>
  std::optional<std::string> list_for_all_nodes(const std::vector<std::vector<Rank>>& nodes,
                                                const std::string& separator, Text&& text_of) const {
    std::vector<CpuSet> list;
    for (const std::vector<Rank>& ranks : nodes) {
      for (std::size_t local = 0; local < ranks.size(); ++local) {
        const CpuSet cpus = plan_.cpus(ranks[local]);
        if (local == list.size()) list.push_back(cpus);
        if (list[local] != cpus) return std::nullopt;
      }
    }
    std::string text;
    for (const CpuSet& cpus : list) text += (text.empty() ? "" : separator) + text_of(cpus);
    return text;
  }

  // Ranks that follow each other on a host are one line. Hydra counts its list of CPUs anew for each line, also where a
  // host comes back.
  void write_hydra() {
    std::string text;
    std::vector<std::vector<Rank>> lines;
    for (Rank rank = 0; rank < plan_.ranks();) {
      lines.emplace_back();
      const std::uint32_t node = plan_.seat(rank).node;
      for (; rank < plan_.ranks() && plan_.seat(rank).node == node; ++rank) lines.back().push_back(rank);
      text += host_of(lines.back().front()) + ':' + std::to_string(lines.back().size()) + '\n';
    }
    add_file("hosts", std::move(text));
    const auto list = list_for_all_nodes(lines, ",", [](const CpuSet& cpus) {
      std::string joined;
      cpus.for_each([&](std::size_t cpu) { joined += (joined.empty() ? "" : "+") + std::to_string(cpu); });
      return joined;
    });
    set_line({"mpirun", "-n", count(), "-f", path("hosts"), "-bind-to", list ? "user:" + *list : "none"}, binds(list));
  }

  static WrapperBinds binds(const std::optional<std::string>& list) {
    return list ? WrapperBinds::no : WrapperBinds::yes;
  }

  [[nodiscard]] std::string slurm_binding(const std::optional<std::string>& list) const {
    return "--cpu-bind=" + (list ? "mask_cpu:" + *list : std::string("none"));
  }

  void write_slurm() {
    std::string text;
    for (Rank rank = 0; rank < plan_.ranks(); ++rank) text += host_of(rank) + '\n';
    add_file("hosts", std::move(text));
    const auto list = list_for_all_nodes(plan_.ranks_of_nodes(), ",", [](const CpuSet& cpus) { return cpus.to_hex(); });
    set_line({"srun", "-n", count(), "--distribution=arbitrary", slurm_binding(list)}, binds(list),
             "SLURM_HOSTFILE=" + quoted(path("hosts")) + ' ');
    result_.notes.emplace_back(
        "Start it in a job that has whole nodes (sbatch --exclusive): Slurm lets tasks only on cores of their job.");
  }

  // These launchers fill the nodes of the allocation from the first one on.
  void require_first_nodes() const {
    const std::vector<std::vector<Rank>>& nodes = plan_.ranks_of_nodes();
    const auto is_used = [](const std::vector<Rank>& ranks) { return !ranks.empty(); };
    const auto empty = std::ranges::find_if_not(nodes, is_used);
    const auto behind = std::find_if(empty, nodes.end(), is_used);
    if (behind == nodes.end()) return;
    refuse("it fills nodes from the first one on, but the plan leaves one empty before node " +
               std::to_string(behind - nodes.begin()),
           advice_of_used_nodes(plan_, hosts_, last_node()));
  }

  // The launcher starts as many ranks on each. But srun shares ranks that do not fill the last node evenly among all.
  [[nodiscard]] LastNode last_node() const {
    return form_.form == LaunchForm::cray ? LastNode::as_the_others : LastNode::may_have_fewer;
  }

  [[noreturn]] void refuse(const std::string& why, const std::string& advice) const {
    throw Error(Status::unsupported, "write for " + std::string(form_.name) + ": " + why + "; " + advice);
  }

  void require_equal_nodes(const std::vector<std::vector<Rank>>& nodes) const {
    const std::size_t each = nodes.front().size();
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      const bool may_be_smaller = node + 1 == nodes.size() && last_node() == LastNode::may_have_fewer;
      if (nodes[node].size() == each || (nodes[node].size() < each && may_be_smaller)) continue;
      refuse("it starts equally many ranks on each node, but node " + std::to_string(node) + " of the plan has " +
                 std::to_string(nodes[node].size()) + " and the first one has " + std::to_string(each),
             advice_of_equal_nodes(plan_, hosts_, last_node()));
    }
  }

  // The launcher fills the nodes in order; the file says which ranks those are.
  void write_rank_order() {
    require_first_nodes();
    const std::vector<std::vector<Rank>> nodes = ranks_by_core(plan_);
    require_equal_nodes(nodes);
    std::string order;
    started_.clear();
    for (const std::vector<Rank>& ranks : nodes) {
      for (const Rank rank : ranks) {
        order += (started_.empty() ? "" : ",") + std::to_string(rank);
        started_.push_back(rank);
      }
    }
    add_file("MPICH_RANK_ORDER", order + '\n');
    set_ordered_line(nodes, std::to_string(nodes.front().size()));
    result_.notes.emplace_back(
        "The first node of the allocation is node 0 of the plan, the next one node 1, and so on; Cray MPICH alone "
        "reads MPICH_RANK_ORDER.");
  }

  void set_ordered_line(const std::vector<std::vector<Rank>>& nodes, const std::string& each) {
    const std::string variables =
        "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=" + quoted(path("MPICH_RANK_ORDER")) + ' ';
    const auto list = list_for_all_nodes(nodes, ":", [](const CpuSet& cpus) { return cpus.to_list(); });
    const std::string depth = std::to_string(plan_.most_threads());
    if (form_.form == LaunchForm::aprun) {
      set_line({"aprun", "-n", count(), "-N", each, "-d", depth, "-cc", list.value_or("none")}, binds(list), variables);
    } else if (form_.form == LaunchForm::pals) {
      set_line({"mpiexec", "-n", count(), "--ppn", each, "--cpu-bind", list ? "list:" + *list : "none"}, binds(list),
               variables);
    } else {
      const auto masks = list_for_all_nodes(nodes, ",", [](const CpuSet& cpus) { return cpus.to_hex(); });
      set_line({"srun", "-N", std::to_string(nodes.size()), "-n", count(), "--ntasks-per-node=" + each,
                "--distribution=block", slurm_binding(masks)},
               binds(masks), variables);
    }
  }

  void add_note_of_trial() {
    if (!form_.tried) {
      result_.notes.push_back("Untested: no test of Comity starts what stands here with the launcher itself (" +
                              std::string(form_.name) + "). comity place --verify tells whether it does as planned.");
    }
  }

  const LaunchFormName& form_;
  const Plan& plan_;
  const std::vector<std::string>& hosts_;
  const std::string& folder_;
  const std::vector<std::string>& program_;
  std::vector<Rank> started_;  // by the launcher's numbers
  LaunchFiles result_;
};

}  // namespace

const LaunchFormName& launch_form_named(const std::string& name) {
  std::vector<std::string_view> known;
  for (const LaunchFormName& form : kLaunchForms) {
    if (form.name == name) return form;
    known.push_back(form.name);
  }
  throw UsageError("--output takes openmpi4, openmpi5, mpich, slurm, cray, aprun or pals, not " + in_quotes(name) +
                   hint(name, known));
}

std::vector<std::vector<Rank>> ranks_by_core(const Plan& plan) {
  std::vector<std::vector<Rank>> nodes;
  for (std::vector<Rank> ranks : plan.ranks_of_nodes()) {
    std::sort(ranks.begin(), ranks.end(), [&](Rank one, Rank other) { return plan.place(one) < plan.place(other); });
    if (!ranks.empty()) nodes.push_back(std::move(ranks));
  }
  return nodes;
}

LaunchFiles launch_files(const LaunchFormName& form, const Plan& plan, const std::vector<std::string>& hosts,
                         const std::string& folder, const std::vector<std::string>& program) {
  return Writer(form, plan, hosts, folder, program).write();
}

}  // namespace comity::cli
