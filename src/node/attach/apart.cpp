// SPDX-License-Identifier: BSD-3-Clause
#include "node/attach/apart.hpp"

#include <string>

#include "base/log.hpp"
#include "os/process/launched_ranks.hpp"

namespace comity::node {

void warn_of_ranks_apart(const Bootstrap& bootstrap) {
  const auto place = os::launched_place();
  if (!place || place->local_rank != 0 || place->world_size != bootstrap.job_size()) return;
  const int together = bootstrap.candidate_size();
  if (together >= place->local_size) return;
  log::warning_once("node", "the launcher put " + std::to_string(place->local_size) + " ranks on this node, but only " +
                                std::to_string(together) +
                                ", this one among them, share it: the others have another network namespace or kernel, "
                                "as in a container each; give all the network of the host (podman run --network host)");
}

}  // namespace comity::node
