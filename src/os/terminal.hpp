// SPDX-License-Identifier: BSD-3-Clause
// LiveTerminal: a terminal whose screen is ours for a while: the alternate one, without a cursor, keys read one by one and
// unseen. Whatever ends it but a kill gives the terminal back as it was. No signal handler: signals are read.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

namespace comity::os {

[[nodiscard]] bool is_terminal(int descriptor);

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t lines = 24;
};

class LiveTerminal {
 public:
  // Of standard output, with keys of standard input where that is a terminal too. Throws Status::system.
  LiveTerminal();
  ~LiveTerminal();
  LiveTerminal(const LiveTerminal&) = delete;
  LiveTerminal& operator=(const LiveTerminal&) = delete;

  [[nodiscard]] TerminalSize size() const;
  // Replaces what stands there; the text's lines must fit.
  void show(std::string_view text) const;

  enum class Why { time_is_up, key, resized, asked_to_end };
  struct Event {
    Why why;
    char key = 0;
  };
  // Until a key is pressed, the window changes, a signal asks the process to end, or the time is up. Ctrl-C is such a signal;
  // Ctrl-Z stops the process with the terminal given back, and goes on here afterwards.
  [[nodiscard]] Event wait(std::chrono::milliseconds at_most);

 private:
  struct State;
  void take();
  void give_back() noexcept;

  std::unique_ptr<State> state_;
};

}  // namespace comity::os
