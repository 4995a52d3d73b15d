// SPDX-License-Identifier: BSD-3-Clause
// Source: mpirun(1) of Open MPI 4.1 and 5.0, mpiexec of MPICH 4 (hydra) and of Intel MPI, srun(1) of Slurm 22.05 and newer.
#include "cli/run/grammar.hpp"

#include <algorithm>
#include <array>

namespace comity::cli::launch {
namespace {

// Names without dashes, between blanks.
struct Grammar {
  Family family;
  std::string_view no_value;
  std::string_view one_value;
  std::string_view two_values;
};

constexpr std::array kGrammars{
    Grammar{
        Family::open_mpi,
        " h help V version v verbose q quiet d debug debug-devel debug-daemons debug-daemons-file tv "
        "allow-run-as-root oversubscribe nooversubscribe nolocal pernode bynode byslot bycore bysocket bind-to-core "
        "bind-to-socket bind-to-none report-bindings use-hwthread-cpus display-map display-devel-map "
        "display-diffable-map display-topo display-allocation display-devel-allocation display-vpid do-not-launch "
        "do-not-resolve disable-recovery enable-recovery continuous tag-output timestamp-output "
        "merge-stderr-to-stdout xml noprefix leave-session-attached output-proctable show-progress "
        "set-cwd-to-session-dir get-stack-traces report-state-on-timeout report-child-jobs-separately "
        "index-argv-by-rank preload-binary s novm use-regexp fwd-mpirun-port forward-signals-none no-app-prefix "
        "stop-on-exec enable-instant-on-support ",
        " n np c N x H host hostfile machinefile default-hostfile add-host add-hostfile wd wdir path prefix "
        "app-prefix bind-to map-by rank-by ppr npernode npersocket cpus-per-proc cpus-per-rank rf rankfile slot-list "
        "cpu-set cpu-list stdin output output-filename output-directory xml-file xterm report-uri report-pid "
        "report-events ompi-server server-wait-time timeout stdtimeout spawn-timeout am tune preload-files app "
        "debugger dvm dvm-uri hnp launch-agent personality max-restarts max-vm-size cartofile display runtime-options "
        "set-sid pset memory-alloc-kinds rtos with-ft rsh-agent forward-signals ",
        " mca gmca omca gomca prtemca pmixmca gpmixmca "},
    Grammar{
        Family::hydra,
        " h help V version v verbose info prepend-rank l enable-x disable-x disable-auto-cleanup cleanup "
        "print-all-exitcodes disable-hostname-propagation localonly local envall envnone genvall genvnone "
        "skip-launch-node pmi-port debug-mode check_mpi trace ilp64 nolocal ordered-output static dynamic ",
        " n np f hostfile machinefile machine hosts host configfile wdir wd dir path usize s umask env envlist genv "
        "genvlist launcher bootstrap launcher-exec bootstrap-exec rmk bind-to binding map-by membind topolib iface "
        "ppn ranks-per-proc perhost rr grr prepend-pattern outfile outfile-pattern errfile errfile-pattern nameserver "
        "localhost demux order-nodes profile gpus-per-proc gpu-subdevs-per-proc timeout tmpdir gtool gtoolfile tune "
        "port arch soft file ckpointlib ckpoint-prefix ckpoint-num ckpoint-interval env-file aps ",
        " "},
    Grammar{
        Family::slurm,
        " E H I k K l O Q s u v V X Z h help usage version allocate contiguous disable-status exact exclusive hold "
        "immediate interactive kill-on-bad-exit label multi-prog no-allocate no-kill overcommit overlap oversubscribe "
        "preserve-env propagate pty quiet quit-on-interrupt reboot send-libs share spread-job test-only unbuffered "
        "use-min-nodes verbose whole wait-all-nodes-off x11 bcast compress nice get-user-env ",
        " A B C D F J L M N S T W b c d e g i j m n o p q r t w x account acctg-freq accel-bind bb bbf begin "
        "bcast-exclude chdir clusters cluster-constraint comment constraint container container-id core-spec "
        "cores-per-socket cpu-bind cpu-freq cpus-per-gpu cpus-per-task deadline delay-boot dependency distribution "
        "epilog error export export-file extra extra-node-info gid gpu-bind gpu-freq gpus gpus-per-node "
        "gpus-per-socket gpus-per-task gres gres-flags het-group hint input jobid job-name kill-wait licenses "
        "mail-type mail-user max-exit-timeout mcs-label mem mem-bind mem-per-cpu mem-per-gpu mincpus mpi msg-timeout "
        "network nodefile nodelist nodes ntasks ntasks-per-core ntasks-per-gpu ntasks-per-node ntasks-per-socket "
        "open-mode output partition power prefer priority profile prolog qos relative reservation resv-ports "
        "segment signal slurmd-debug sockets-per-node switches task-epilog task-prolog thread-spec threads "
        "threads-per-core time time-min tmp tres-bind tres-per-task treewidth tres-per-job uid wait wckey exclude ",
        " "}};

const Grammar& grammar_of(Family family) {
  return *std::find_if(kGrammars.begin(), kGrammars.end(), [&](const Grammar& row) { return row.family == family; });
}

bool holds(std::string_view names, const std::string& name) {
  return names.find(' ' + name + ' ') != std::string_view::npos;
}

// getopt's manner: one dash, then letters, of which the last one may have its value glued on or in the next word.
std::size_t width_of_letters(const Grammar& grammar, const std::string& word) {
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (holds(grammar.one_value, std::string(1, word[i]))) return i + 1 == word.size() ? 2 : 1;
  }
  return 1;
}

}  // namespace

std::string option_name(const std::string& word) {
  const std::size_t start = std::min(word.find_first_not_of('-'), word.size());
  return word.substr(start, word.find('=', start) - start);
}

std::size_t width_of_option(Family family, std::span<const std::string> words, const IsProgram& is_program) {
  const Grammar& grammar = grammar_of(family);
  const std::string& word = words[0];
  const std::string name = option_name(word);
  const auto with_values = [&](std::size_t values) { return std::min(1 + values, words.size()); };
  if (family == Family::slurm && !word.starts_with("--")) return with_values(width_of_letters(grammar, word) - 1);
  if (word.find('=') != std::string::npos) return 1;
  if (holds(grammar.no_value, name)) return 1;
  if (holds(grammar.two_values, name)) return with_values(2);
  const bool sets_variable = family == Family::hydra && (name == "genv" || name == "env");
  if (sets_variable && words.size() > 1 && words[1].find('=') == std::string::npos) return with_values(2);
  if (holds(grammar.one_value, name)) return with_values(1);
  const bool alone = words.size() < 2 || words[1].starts_with('-') || is_program(words[1]);
  return alone ? 1 : 2;
}

std::vector<std::span<const std::string>> split_options(Family family, std::span<const std::string> options,
                                                        const IsProgram& is_program) {
  std::vector<std::span<const std::string>> all;
  while (!options.empty()) {
    const std::size_t width = options[0] == "--" ? 1 : width_of_option(family, options, is_program);
    all.push_back(options.first(width));
    options = options.subspan(width);
  }
  return all;
}

}  // namespace comity::cli::launch
