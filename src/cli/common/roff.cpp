// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/roff.hpp"

#include <algorithm>

namespace comity::cli::roff {
namespace {

// Characters that roff would turn into something else: typographic quotes, hyphens that do not copy, accents.
std::string_view spelling(char character) {
  switch (character) {
    case '\\':
      return "\\e";
    case '-':
      return "\\-";
    case '\'':
      return "\\(aq";
    case '`':
      return "\\(ga";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    default:
      return {};
  }
}

std::string line(std::string_view text) {
  const bool request = text.starts_with('.');  // a line that starts so would be read as a request
  return (request ? "\\&" : "") + escaped(text) + '\n';
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : text) {
    const std::string_view spelt = spelling(character);
    if (spelt.empty()) {
      result += character;
    } else {
      result += spelt;
    }
  }
  return result;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }

std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string title(std::string_view name, char number, std::string_view version) {
  std::string capitals(name);
  std::transform(name.begin(), name.end(), capitals.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return ".TH \"" + escaped(capitals) + "\" " + number + " \"\" \"comity " + std::string(version) + "\" Comity\n";
}

std::string section(std::string_view name) { return ".SH " + escaped(name) + '\n'; }

std::string paragraphs(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    text += (text.empty() ? "" : ".PP\n") + line(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

std::string item(std::string_view roff_term, std::string_view text) {
  return ".TP\n" + std::string(roff_term) + '\n' + line(text);
}

}  // namespace comity::cli::roff
