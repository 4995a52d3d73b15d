// SPDX-License-Identifier: BSD-3-Clause
// Text for people: 80 columns, colour only where a person looks. Not: what it says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace comity::cli {

using Lookup = std::function<std::optional<std::string>(std::string_view name)>;  // of environment variables

inline constexpr std::size_t kColumns = 80;

enum class Colour : std::uint8_t { strong, faint, green, yellow, red };

class Screen {
 public:
  Screen() = default;  // plain
  explicit Screen(bool coloured) : coloured_(coloured) {}
  // Coloured where standard output is a terminal that can, and NO_COLOR does not forbid it.
  [[nodiscard]] static Screen of_standard_output(const Lookup& lookup);
  // Whether standard output is a terminal on which text can be replaced.
  [[nodiscard]] static bool moves_a_cursor(const Lookup& lookup);

  [[nodiscard]] std::string paint(Colour colour, std::string_view text) const;

 private:
  bool coloured_ = false;
};

// The words of `text` in lines of at most kColumns, each after `indent` blanks; ends with a line end.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t indent);

// `left`, then `right` from column `column` on, or two blanks after a longer `left`.
[[nodiscard]] std::string at_column(std::string left, std::size_t column, std::string_view right);

// "0,2,4,..,126": as much of a comma list as fits into `columns`, always with its last piece.
[[nodiscard]] std::string shorten_list(std::string_view list, std::size_t columns);

// "/opt/model/bin/model --steps 4" as "model --steps 4": there is little room.
[[nodiscard]] std::string without_folder(const std::string& command);

// Rows in columns as wide as their widest cell, two blanks apart; the last column ends at kColumns, cut with "..".
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t indent,
                                std::size_t columns = kColumns);

[[nodiscard]] std::string bytes_text(std::uint64_t bytes);                      // "512 KiB", "5.8 GiB"
[[nodiscard]] std::string count_text(std::size_t count, std::string_view one);  // "1 core", "2 cores"
[[nodiscard]] std::string duration_text(double seconds);                        // "12 ms", "3.4 s", "25 min"

}  // namespace comity::cli
