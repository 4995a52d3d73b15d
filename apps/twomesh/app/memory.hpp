// SPDX-License-Identifier: BSD-3-Clause
// Whether the meshes of a configuration can fit into the memory of the job's nodes at all. Counted are the cells' own
// fields alone: what is refused never fits, what is taken may still be too large.
#pragma once

#include <string>

#include "app/config.hpp"

namespace twomesh::app {

// Bytes of both meshes' fields over all ranks, without ghosts.
[[nodiscard]] double least_bytes(const Config& config);

// Throws ConfigError where they are more than `available` bytes. `name` is what messages call the configuration.
void require_memory(const Config& config, const std::string& name, double available);

}  // namespace twomesh::app
