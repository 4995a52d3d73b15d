// SPDX-License-Identifier: BSD-3-Clause
// Trial: runs something in a fork child first, to learn whether it ends the process. For what is in the hands of another
// library. For processes of one thread.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace comity::os {

// Why the child did not come to the end of it ("it was ended by a signal, Segmentation fault", ..); "" where it did. What
// it says is lost, and so is what it throws. Throws Status::system where there can be no child.
[[nodiscard]] std::string why_it_ends(const std::function<void()>& act, std::chrono::seconds limit);

}  // namespace comity::os
