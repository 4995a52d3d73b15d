// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/text_file.hpp"

#include <array>
#include <fstream>

#include "base/error.hpp"
#include "cli/common/screen.hpp"

namespace comity::cli {

std::string read_text_file(const std::string& path, const std::string& what, const std::string& named_by,
                           std::size_t most_bytes) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 1U << 16> buffer{};
  while (file && text.size() <= most_bytes) {
    file.read(buffer.data(), buffer.size());
    text.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.eof()) return text;
  throw Error(Status::not_found,
              "read " + what + ' ' + path + ": " +
                  (text.size() > most_bytes ? "it is larger than " + bytes_text(most_bytes) : "it cannot be read") +
                  "; check " + named_by);
}

void write_text_file(const std::string& path, const std::string& text, const std::string& what,
                     const std::string& named_by) {
  std::ofstream file(path, std::ios::binary);
  if (file && (file << text).flush()) return;
  throw Error(Status::system, "write " + what + ' ' + path + ": this file cannot be written; check " + named_by);
}

}  // namespace comity::cli
