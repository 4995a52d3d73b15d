// SPDX-License-Identifier: BSD-3-Clause
// Lines of a text that another tool has written, with the number of each for whoever has to say which one makes no sense.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace comity::memory {

class OthersLines {
 public:
  explicit OthersLines(std::string_view text) : rest_(text) {}

  // The next one, trimmed. False: there is none.
  bool next(std::string_view& line);

  // Throws Status::argument.
  [[noreturn]] void refuse(const std::string& why) const;
  // Not negative, and no more than anybody has. The same.
  [[nodiscard]] double number(std::string_view key, std::string_view value) const;
  // The same on both sides of 0.
  [[nodiscard]] double signed_number(std::string_view key, std::string_view value) const;

  // Without blanks and zeros at its ends: texts may be as long as the room that they stood in.
  [[nodiscard]] static std::string_view trimmed(std::string_view text);

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

}  // namespace comity::memory
