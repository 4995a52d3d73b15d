// SPDX-License-Identifier: BSD-3-Clause
// Text for a reader who takes it in pieces and mixes it with what others write, as launchers do with the output of ranks.
#pragma once

#include <string>

namespace comity::os {

// Writes the text in pieces of whole lines that a pipe takes at once, each when the reader has taken the one before or half a
// minute has passed: so a piece is read whole. Lines longer than 4096 bytes are not. False: the output takes no more.
[[nodiscard]] bool write_whole_lines(int file, const std::string& text);

}  // namespace comity::os
