// SPDX-License-Identifier: BSD-3-Clause
// What asks whether requests are over waits for nobody and goes to the library as it is. When some are, those are rung that may sleep
// until this rank has done its part of them, as after a wait. A question that is answered with no rings nobody: a loop of them
// would keep all others awake.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <span>

#include "coop/calls/calls.hpp"
#include "coop/calls/replacements.hpp"

namespace comity::coop {
namespace {

enum class Over : std::uint8_t { none, some, all };  // of the requests that this thread has started

int answered(int code, Over over) {
  Cooperation* const here = over == Over::none ? nullptr : at_work();
  if (here == nullptr || code != MPI_SUCCESS) return code;
  here->peers.ring_those_owed();
  if (over == Over::some) Copies::end_of_some_requests();
  if (over == Over::all) Copies::end_of_all_requests();
  return code;
}

// Of nothing the library says that it is over.
bool is_any(std::span<const MPI_Request> requests) {
  return std::ranges::any_of(requests, [](MPI_Request one) { return one != no_request(); });
}
std::span<const MPI_Request> all_of(int count, const MPI_Request requests[]) {
  return {requests, requests == nullptr || count < 0 ? 0 : static_cast<std::size_t>(count)};
}

int test(MPI_Request* request, int* over, MPI_Status* status) {
  const bool asks = is_any(all_of(1, request));
  const int code = real::MPI_Test(request, over, status);
  return answered(code, asks && code == MPI_SUCCESS && *over != 0 ? Over::some : Over::none);
}

int test_all(int count, MPI_Request requests[], int* over, MPI_Status statuses[]) {
  const bool asks = is_any(all_of(count, requests));
  const int code = real::MPI_Testall(count, requests, over, statuses);
  return answered(code, asks && code == MPI_SUCCESS && *over != 0 ? Over::all : Over::none);
}

int test_any(int count, MPI_Request requests[], int* index, int* over, MPI_Status* status) {
  const int code = real::MPI_Testany(count, requests, index, over, status);
  return answered(code, code == MPI_SUCCESS && *over != 0 && *index != MPI_UNDEFINED ? Over::some : Over::none);
}

int test_some(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  const int code = real::MPI_Testsome(count, requests, done, indices, statuses);
  return answered(code, code == MPI_SUCCESS && *done > 0 ? Over::some : Over::none);  // MPI_UNDEFINED is below 0
}

const auto& replacements() {
  static const auto all = std::to_array<NamedReplacement>({
      named("MPI_Test", test),
      named("MPI_Testall", test_all),
      named("MPI_Testany", test_any),
      named("MPI_Testsome", test_some),
  });
  return all;
}

}  // namespace

interpose::Replacement replacement_of_question(std::string_view name) { return find_replacement(replacements(), name); }

}  // namespace comity::coop
