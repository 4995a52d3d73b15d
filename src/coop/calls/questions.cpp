// SPDX-License-Identifier: BSD-3-Clause
// What asks whether requests are over waits for nobody and goes to the library as it is. When some are, those are rung that may sleep
// until this rank has done its part of them, as after a wait. A question that is answered with no rings nobody: a loop of them
// would keep all others awake; but for those who have asked this rank for its part of an operation on a window, which it has done with that, once
// each.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "coop/calls/calls.hpp"
#include "coop/calls/replacements.hpp"

namespace comity::coop {
namespace {

enum class Over : std::uint8_t { none, some, all };  // of the requests that this thread has started

void answer(Cooperation* here) {
  if (here != nullptr) here->peers.node().answer();
}

int answered(int code, Over over) {
  Cooperation* const here = at_work();
  answer(here);
  if (here == nullptr || over == Over::none || code != MPI_SUCCESS) return code;
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

// The request stays, and may be asked about again: what it has brought was not taken yet.
int get_status(MPI_Request request, int* over, MPI_Status* status) {
  const int code = real::MPI_Request_get_status(request, over, status);
  Cooperation* const here = at_work();
  answer(here);
  const bool is_news = request != no_request() && code == MPI_SUCCESS && *over != 0;
  if (is_news && here != nullptr) here->peers.ring_those_owed();
  return code;
}

template <auto kReal>
struct Answers;
template <class... A, int (*kReal)(A...)>
struct Answers<kReal> {
  static int call(A... a) {
    const int code = kReal(a...);
    answer(at_work());
    return code;
  }
};

// The end of an epoch that others opened, and may sleep in.
int test_epoch(MPI_Win window, int* over) {
  const int code = real::MPI_Win_test(window, over);
  Cooperation* const here = at_work();
  answer(here);
  if (here != nullptr && code == MPI_SUCCESS && *over != 0) tell_everybody(*here);
  return code;
}

#if MPI_VERSION >= 4
// Programs ask for all parts of a message in turn, until the last one is there: of what they know to be there only the first answer after another
// one rings.
class Arrived {
 public:
  [[nodiscard]] static bool is_news(MPI_Request request, int part, bool is_there) {
    const std::uint64_t key = key_of(request, part);
    std::uint64_t& place = known_[key % known_.size()];
    if (is_there) return std::exchange(place, key) != key;
    if (place == key) place = 0;
    return false;
  }

 private:
  static std::uint64_t key_of(MPI_Request request, int part) {
    constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15U;
    const std::uint64_t handle = std::hash<MPI_Request>{}(request);
    return (((handle * kSpread) ^ static_cast<std::uint64_t>(part)) * kSpread) >> 8U;
  }

  static inline constinit thread_local std::array<std::uint64_t, 64> known_
      __attribute__((tls_model("initial-exec"))){};
};

int has_arrived(MPI_Request request, int partition, int* over) {
  const int code = real::MPI_Parrived(request, partition, over);
  Cooperation* const here = at_work();
  answer(here);
  const bool is_news = code == MPI_SUCCESS && Arrived::is_news(request, partition, *over != 0);
  if (is_news && here != nullptr) here->peers.ring_those_owed();
  return code;
}
#endif

const auto& replacements() {
  static const auto all = std::to_array<NamedReplacement>({
    named("MPI_Test", test), named("MPI_Testall", test_all), named("MPI_Testany", test_any),
        named("MPI_Testsome", test_some), named("MPI_Request_get_status", get_status),
        named("MPI_Win_test", test_epoch), named("MPI_Iprobe", &Answers<real::MPI_Iprobe>::call),
        named("MPI_Improbe", &Answers<real::MPI_Improbe>::call),
#if MPI_VERSION >= 4
        named("MPI_Parrived", has_arrived),
#endif
  });
  return all;
}

}  // namespace

Replaced replacement_of_question(std::string_view name) { return find_replacement(replacements(), name); }

}  // namespace comity::coop
