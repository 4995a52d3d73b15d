// SPDX-License-Identifier: BSD-3-Clause
#include "os/terminal.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/error.hpp"
#include "os/files/descriptor.hpp"

namespace comity::os {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH};

constexpr std::string_view kTake = "\033[?1049h\033[?25l\033[H\033[2J";
constexpr std::string_view kGiveBack = "\033[?25h\033[?1049l";

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(STDOUT_FILENO, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;  // a terminal that has gone away; a signal says so
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

sigset_t our_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int one : kSignals) ::sigaddset(&set, one);
  return set;
}

}  // namespace

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

struct LiveTerminal::State {
  Descriptor signals;
  sigset_t mask_before{};
  bool has_keys = false;
  termios keys_before{};
};

LiveTerminal::LiveTerminal() : state_(std::make_unique<State>()) {
  const sigset_t ours = our_signals();
  state_->signals = Descriptor(::signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!state_->signals.valid()) throw system_error("read signals from a descriptor", errno);
  state_->has_keys = is_terminal(STDIN_FILENO) && ::tcgetattr(STDIN_FILENO, &state_->keys_before) == 0;
  if (::sigprocmask(SIG_BLOCK, &ours, &state_->mask_before) != 0) throw system_error("hold signals back", errno);
  take();
}

LiveTerminal::~LiveTerminal() {
  give_back();
  ::sigprocmask(SIG_SETMASK, &state_->mask_before, nullptr);
}

void LiveTerminal::take() {
  if (state_->has_keys) {
    termios keys = state_->keys_before;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // Ctrl-C stays a signal
    keys.c_cc[VMIN] = 0;
    keys.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
  write_all(kTake);
}

void LiveTerminal::give_back() noexcept {
  write_all(kGiveBack);
  if (state_->has_keys) ::tcsetattr(STDIN_FILENO, TCSANOW, &state_->keys_before);
}

TerminalSize LiveTerminal::size() const {
  winsize found{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &found) != 0 || found.ws_col == 0 || found.ws_row == 0) return {};
  return {found.ws_col, found.ws_row};
}

void LiveTerminal::show(std::string_view text) const {
  std::string screen = "\033[H";
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    screen += text.substr(0, end);
    screen += "\033[K";
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (!text.empty()) screen += "\r\n";
  }
  write_all(screen + "\033[J");
}

LiveTerminal::Event LiveTerminal::wait(std::chrono::milliseconds at_most) {
  std::array<pollfd, 2> sources{{{state_->signals.number(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
  const int ready = ::poll(sources.data(), state_->has_keys ? 2 : 1, static_cast<int>(at_most.count()));
  if (ready <= 0) return {Why::time_is_up};
  signalfd_siginfo signal{};
  if (::read(state_->signals.number(), &signal, sizeof signal) == sizeof signal) {
    if (signal.ssi_signo == SIGWINCH) return {Why::resized};
    if (signal.ssi_signo != SIGTSTP) return {Why::asked_to_end};
    give_back();
    ::raise(SIGSTOP);
    take();
    return {Why::resized};
  }
  char key = 0;
  const ssize_t got = state_->has_keys ? ::read(STDIN_FILENO, &key, 1) : 0;
  if (got == 1) return {Why::key, key};
  if (sources[1].revents != 0) state_->has_keys = false;  // hung up: it would be ready for ever
  return {Why::time_is_up};
}

}  // namespace comity::os
