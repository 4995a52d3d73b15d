// SPDX-License-Identifier: BSD-3-Clause
// Where memory really is. Not: where it was wished to be (numactl), nor which memory is near a core (machine).
#pragma once

#include <optional>

namespace comity::os {

// The kernel's number of the NUMA node that holds the page of this address; none for a page that nobody has written yet,
// and where the kernel does not tell.
[[nodiscard]] std::optional<int> node_of_page(const void* address);

}  // namespace comity::os
