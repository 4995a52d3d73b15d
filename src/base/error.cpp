// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"

#include <cerrno>
#include <cstring>

namespace comity {

const std::array<StatusRow, 16> kStatusTable{{
    {Status::ok, "COMITY_OK", "Success."},
    {Status::argument, "COMITY_ERR_ARGUMENT", "An argument is null or has no meaning; see the function's reference."},
    {Status::handle, "COMITY_ERR_HANDLE", "The handle was never created or is already freed; create it first."},
    {Status::range, "COMITY_ERR_RANGE", "An index or count is outside its range; ask the matching count first."},
    {Status::not_found, "COMITY_ERR_NOT_FOUND", "This machine has no such object; `comity topo` shows what it has."},
    {Status::order, "COMITY_ERR_ORDER", "Calls out of order; pop what was pushed last, leave what was entered last."},
    {Status::mpi, "COMITY_ERR_MPI", "MPI is not usable here; call between MPI_Init and MPI_Finalize."},
    {Status::topology, "COMITY_ERR_TOPOLOGY", "The topology cannot be read; check HWLOC_XMLFILE and HWLOC_SYNTHETIC."},
    {Status::version, "COMITY_ERR_VERSION", "Shared state of another version; let all ranks load the same libcomity."},
    {Status::system, "COMITY_ERR_SYSTEM", "The kernel refused; `comity doctor` looks for the usual causes."},
    {Status::memory, "COMITY_ERR_MEMORY", "Out of memory or space; free some, or set COMITY_NODE_DIRECTORY."},
    {Status::peer_lost, "COMITY_ERR_PEER_LOST",
     "A rank that was waited for has died; free the context and end, or go on without it."},
    {Status::timeout, "COMITY_ERR_TIMEOUT", "The time given has passed; nothing changed, call again to go on waiting."},
    {Status::unsupported, "COMITY_ERR_UNSUPPORTED",
     "This machine, kernel or build cannot do it; `comity doctor` says more."},
    {Status::option, "COMITY_ERR_OPTION", "A setting is outside its range; `comity env` lists all with their ranges."},
    {Status::internal, "COMITY_ERR_INTERNAL", "A defect of Comity; please report the sentence of comity_last_error()."},
}};

Error system_error(std::string_view what_failed, int error_number, std::string_view what_to_do) {
  const bool out_of_space = error_number == ENOMEM || error_number == ENOSPC || error_number == EDQUOT;
  std::string message(what_failed);
  message += ": ";
  message += std::strerror(error_number);
  message += " (errno " + std::to_string(error_number) + ")";
  if (!what_to_do.empty()) {
    message += "; ";
    message += what_to_do;
  }
  return {out_of_space ? Status::memory : Status::system, std::move(message)};
}

}  // namespace comity
