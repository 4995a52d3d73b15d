// SPDX-License-Identifier: BSD-3-Clause
// A question and its answer, a line each, over a socket that is somebody else's, in use between his own questions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace comity::os {

// `question` with the end of its line. Waits for the answer, which is told without that, and reads not a byte more.
// Empty: the number is no socket, nobody is at its other end, or the answer is longer than any should be.
[[nodiscard]] std::optional<std::string> ask(int socket, std::string_view question);

}  // namespace comity::os
