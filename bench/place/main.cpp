// SPDX-License-Identifier: BSD-3-Clause
// bench-place: what an exchange of two ranks costs, by what lies between them. Each rank goes to a core of its own; pairs take
// turns, and the others rest meanwhile. Rank 0 prints one line of JSON. Not: what that means for a plan (comity place --costs-from).
//   bench-place-<mpi>     launched on as many ranks as cores, of as many nodes as are to be told apart
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <comity/comity_mpi.hpp>
#include <comity/place.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "common/world.hpp"
#include "place/exchange.hpp"
#include "place/pairs.hpp"

namespace bench::place {
namespace {

constexpr int kTagOfResults = 8;

struct Resident {
  comity_place_seat seat;
  std::array<char, 64> host;
};

std::vector<Resident> gather_residents(const World& world, const comity::Context& context) {
  Resident mine{comity::seat_of(context), {}};
  ::gethostname(mine.host.data(), mine.host.size() - 1);
  std::vector<Resident> all(static_cast<std::size_t>(world.size));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  return all;
}

// A barrier whose waits take no core from the pair that is measured.
void rest_until_all_come() {
  constexpr useconds_t kNap_us = 300;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    ::usleep(kNap_us);
  }
}

std::vector<Cost> take_turns(const World& world, const std::vector<Pair>& pairs) {
  std::vector<Cost> costs;
  for (const Pair& pair : pairs) {
    Cost cost;
    if (world.rank == pair.first || world.rank == pair.second) cost = exchange(pair, world.rank);
    rest_until_all_come();
    if (pair.first != 0 && world.rank == pair.first)
      MPI_Send(&cost, sizeof cost, MPI_BYTE, 0, kTagOfResults, MPI_COMM_WORLD);
    if (pair.first != 0 && world.rank == 0) {
      MPI_Recv(&cost, sizeof cost, MPI_BYTE, pair.first, kTagOfResults, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    costs.push_back(cost);
  }
  return costs;
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

template <typename Items, typename Text>
std::string list(const Items& items, Text&& text) {
  std::string all;
  for (const auto& item : items) all += (all.empty() ? "" : ", ") + text(item);
  return '[' + all + ']';
}

std::string to_json(const Pair& pair, const Cost& cost, const std::vector<Resident>& residents) {
  const Resident& one = residents[static_cast<std::size_t>(pair.first)];
  const Resident& other = residents[static_cast<std::size_t>(pair.second)];
  return "{\"apart\": " + list(apart(one.seat, other.seat), quoted) + ", \"hosts\": [" + quoted(one.host.data()) +
         ", " + quoted(other.host.data()) + "], \"ns\": " + list(cost.ns, number) +
         ", \"unrest\": " + number(cost.unrest) + '}';
}

void run(const World& world) {
  comity::Context context = comity::make_context(MPI_COMM_WORLD);
  context.spread(comity::Resource::core);
  const std::vector<Resident> residents = gather_residents(world, context);
  std::vector<comity_place_seat> seats;
  seats.reserve(residents.size());
  for (const Resident& resident : residents) seats.push_back(resident.seat);
  const std::vector<Pair> pairs = pairs_of(seats);
  const std::vector<Cost> costs = take_turns(world, pairs);
  const int nodes = count_nodes();
  if (world.rank == 0) {
    std::string told;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      told += (i == 0 ? "" : ", ") + to_json(pairs[i], costs[i], residents);
    std::printf("{\"case\": \"pairs\", \"ranks\": %d, \"nodes\": %d, \"bytes\": %s, \"pairs\": [%s]}\n", world.size,
                nodes, list(kBytes, [](int bytes) { return std::to_string(bytes); }).c_str(), told.c_str());
    std::fflush(stdout);
  }
  if (nodes > 1) end_even_if_finalize_hangs();
}

}  // namespace
}  // namespace bench::place

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bench::World world = bench::this_world();
  try {
    bench::place::run(world);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-place: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
