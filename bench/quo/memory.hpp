// SPDX-License-Identifier: BSD-3-Clause
// What the memory of this process counts for on its node: each page by its part (PSS), so that the ranks' figures add up to
// the node's.
#pragma once

namespace bench::quo {

// [KB] Throws std::runtime_error where the kernel does not say.
[[nodiscard]] double memory_kb();

// [KB] Of it, pages that are of no file and that nobody shares: heap, stack, data that was written. Throws as memory_kb.
[[nodiscard]] double own_memory_kb();

}  // namespace bench::quo
