// SPDX-License-Identifier: BSD-3-Clause
// For MPICH and its launcher, Hydra: over the socket on which the MPI itself asks, by lines of PMI 1. MPI_Init asks after us, as
// if nobody had; its first barrier brings what was put to all nodes.
#include <charconv>
#include <string>

#include "os/environment.hpp"
#include "os/files/line_socket.hpp"
#include "preload/meeting/notice_board.hpp"
#include "preload/run_facts.hpp"

namespace comity::preload {
namespace {

using State = NoticeBoard::State;

constexpr std::string_view kInit = "cmd=init pmi_version=1 pmi_subversion=1\n";
constexpr std::string_view kStoreName = "kvsname=";
constexpr std::string_view kValue = "value=";

struct Board {
  State state = State::absent;
  bool closed = false;
  int socket = -1;
  std::string store;
};

// Never destroyed: the library leaves nothing to run when the process ends.
Board& board() {
  static Board& one = *new Board;
  return one;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<int> number_of_variable(std::string_view name) {
  const auto text = os::environment(name);
  return text ? number_in<int>(*text) : std::nullopt;
}

// Hydra gives the same variables to ranks of all nodes, Slurm others, whose PMI is not this one. Other MPIs of this
// binary interface have launchers of their own, which nobody has tried.
std::optional<int> socket_of_the_launcher() {
  const bool is_hydra = os::environment("MPI_LOCALNRANKS") && !os::environment("PMI_JOBID");
  if (!is_hydra || !mpi_version().starts_with("MPICH Version")) return std::nullopt;
  return number_of_variable("PMI_FD");
}

// The word that begins so.
std::optional<std::string> word_of(std::string_view line, std::string_view begin) {
  const std::size_t at = (' ' + std::string(line)).find(' ' + std::string(begin));
  if (at == std::string::npos) return std::nullopt;
  const std::string_view word = line.substr(at + begin.size());
  return std::string(word.substr(0, word.find(' ')));
}

bool is_granted(const std::optional<std::string>& answer) { return answer && word_of(*answer, "rc=") == "0"; }

std::string words_of(const std::string& command, int rank) {
  return "cmd=" + command + " kvsname=" + board().store + " key=comity.1." + std::to_string(rank);
}

// The launcher empties its store at the first such line of all.
bool leave_notice(Board& here, int rank, std::uint64_t notice) {
  if (!is_granted(os::ask(here.socket, kInit))) return false;
  const auto name = os::ask(here.socket, "cmd=get_my_kvsname\n");
  const auto store = name ? word_of(*name, kStoreName) : std::nullopt;
  if (!store) return false;
  here.store = *store;
  return is_granted(
      os::ask(here.socket, words_of("put", rank) + ' ' + std::string(kValue) + std::to_string(notice) + '\n'));
}

}  // namespace

void NoticeBoard::leave(std::uint64_t notice) {
  Board& here = board();
  const auto socket = socket_of_the_launcher();
  const auto rank = number_of_variable("PMI_RANK");
  if (!socket || !rank) return;
  here.socket = *socket;
  here.state = !here.closed && leave_notice(here, *rank, notice) ? State::good : State::broken;
}

void NoticeBoard::close() { board().closed = true; }

NoticeBoard::State NoticeBoard::state() { return board().state; }

std::optional<std::uint64_t> NoticeBoard::of(int rank) {
  const auto answer = os::ask(board().socket, words_of("get", rank) + '\n');
  if (!is_granted(answer)) return std::nullopt;
  const auto value = word_of(*answer, kValue);
  return value ? number_in<std::uint64_t>(*value) : std::nullopt;
}

}  // namespace comity::preload
