// SPDX-License-Identifier: BSD-3-Clause
#include "preload/unfinished_requests.hpp"

#include <exception>
#include <string>

#include "base/log.hpp"
#include "interpose/function.hpp"
#include "interpose/requests/requests.hpp"

namespace comity::preload {
namespace {

bool is_the_end(const interpose::Facts& facts) { return facts.name == "MPI_Finalize"; }

}  // namespace

interpose::Depth UnfinishedRequests::depth(const interpose::Facts& facts) const noexcept {
  return is_the_end(facts) ? interpose::Depth::calls : interpose::Depth::none;
}

bool UnfinishedRequests::announces(const interpose::Facts& facts) const noexcept { return is_the_end(facts); }

void UnfinishedRequests::before(const interpose::Call& /*call*/) noexcept {
  try {
    for (const interpose::UnfinishedRequest& request : interpose::unfinished_requests()) {
      objects_.left(interpose::ObjectKind::request, interpose::kFacts[request.maker].name,
                    memory::path_at(request.caller), request.count);
    }
  } catch (const std::exception& error) {
    log::error("preload", std::string("requests that never completed are not told: ") + error.what());
  }
}

}  // namespace comity::preload
