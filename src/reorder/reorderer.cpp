// SPDX-License-Identifier: BSD-3-Clause
#include "reorder/reorderer.hpp"

#include <mpi.h>

#include "base/log.hpp"
#include "interpose/loaded_mpi.hpp"
#include "interpose/watch.hpp"
#include "reorder/library.hpp"
#include "reorder/topologies.hpp"

namespace comity::reorder {
namespace {

bool is_begin(const interpose::Facts& facts) { return facts.name == "MPI_Init" || facts.name == "MPI_Init_thread"; }

}  // namespace

bool is_possible() {
  if (library().is_here()) return true;
  log::warning_once("reorder", "communicators of this job keep their order: " + library().why_not +
                                   "; install it beside the preloaded library, or leave --reorder out");
  return false;
}

interpose::Depth Reorderer::depth(const interpose::Facts& facts) const noexcept {
  return is_begin(facts) ? interpose::Depth::calls : interpose::Depth::none;
}

interpose::Replacement Reorderer::replacement(const interpose::Facts& facts) const noexcept {
  return replacement_of(facts.name);
}

void Reorderer::after(const interpose::Event& event) noexcept {
  if (!event.succeeded) return;
  if (all_do_()) {
    all_reorder.store(true, std::memory_order_release);
    return;
  }
  interpose::stop_replacing(*this);
  if (interpose::may_speak_for_the_job()) {
    log::warning("reorder", "communicators keep their order: not all ranks have loaded Comity's library and reorder");
  }
}

}  // namespace comity::reorder
