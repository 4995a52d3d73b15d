// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/mpi_object_tracker.hpp"

namespace comity::memory {
interpose::Depth MpiObjectTracker::depth(const interpose::Facts& facts) const noexcept {
  return facts.changes_objects ? interpose::Depth::calls : interpose::Depth::none;
}

// What somebody else has made is not among the objects, so ends need not be asked for who asks; but where an MPI holds a share of the
// program's own for itself, and gives that back.
void MpiObjectTracker::changed(const interpose::ObjectChange& change) noexcept {
  const bool ends = change.act == interpose::ObjectAct::ends;
  if (ends && !(change.inside && may_be_shared(change.kind))) return objects_.ended(change.kind, change.handle);
  const auto path = programs_call(change.inside ? Where::inside : Where::outside);
  if (!path) return;
  if (ends) return objects_.ended(change.kind, change.handle);
  objects_.made(change.kind, change.handle, change.facts->name, *path);
}

}  // namespace comity::memory
