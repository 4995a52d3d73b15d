// SPDX-License-Identifier: BSD-3-Clause
// A test of a request that is over at no time: of one of our own (MPI_Grequest_start), which concerns no other rank.
#include "coop/library/progress.hpp"

#include <mpi.h>

#include <atomic>

#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::coop {
namespace {

namespace real = interpose::real;

int tell_nothing(void* /*state*/, MPI_Status* status) {
  real::MPI_Status_set_elements(status, interpose::handles().byte, 0);
  real::MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
int free_nothing(void* /*state*/) { return MPI_SUCCESS; }
int cancel_nothing(void* /*state*/, int /*is_over*/) { return MPI_SUCCESS; }

constinit std::atomic<MPI_Request> never_over{};
constinit std::atomic<bool> has_request{false};

void look_for_a_message() {
  int found = 0;
  MPI_Status status;
  real::MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, interpose::handles().world, &found, &status);
}

}  // namespace

void begin_progress() {
  MPI_Request request = interpose::handles().no_request;
  if (real::MPI_Grequest_start(tell_nothing, free_nothing, cancel_nothing, nullptr, &request) != MPI_SUCCESS) return;
  never_over.store(request);
  has_request.store(true, std::memory_order_release);
}

void end_progress() {
  if (!has_request.exchange(false)) return;
  MPI_Request request = never_over.load();
  MPI_Status status;
  real::MPI_Grequest_complete(request);
  real::MPI_Wait(&request, &status);
}

void make_progress() {
  if (!has_request.load(std::memory_order_acquire)) return look_for_a_message();
  MPI_Request request = never_over.load(std::memory_order_relaxed);
  int is_over = 0;
  MPI_Status status;
  real::MPI_Test(&request, &is_over, &status);
}

}  // namespace comity::coop
