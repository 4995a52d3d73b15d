// SPDX-License-Identifier: BSD-3-Clause
// Contexts on sub-communicators that overlap, all alive at once: each goes on by itself, they share the process's one
// binding stack, and a rank is seen in each where it is bound.
#include <algorithm>
#include <vector>

#include "expect.hpp"

using namespace comity;
using namespace comity::testing;

namespace {

// A context on some ranks; its communicator is gone already, which no context minds.
struct Part {
  Context context;
  int rank;
  int size;
};

Part part_of(int colour, int key) {
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, colour, key, &some);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(some, &rank);
  MPI_Comm_size(some, &size);
  Part part{make_context(some), rank, size};
  MPI_Comm_free(&some);
  return part;
}

void expect_whole(const Part& part, const char* name) {
  expect_equal(part.context.rank(), part.rank, std::string(name) + ": rank");
  expect_equal(part.context.size(), part.size, std::string(name) + ": size");
}

// Halves by parity, pairs of neighbours, pairs shifted by one, each rank alone, all: a rank is in five at once. The
// first of them have segments of their own, which no later one may be put on that has other ranks.
std::vector<Part> overlapping_parts() {
  const World w = world();
  std::vector<Part> parts;
  parts.push_back(part_of(w.rank / 2, w.rank));
  parts.push_back(part_of((w.rank + 1) / 2, -w.rank));
  parts.push_back(part_of(w.rank % 2, w.rank));
  parts.push_back(part_of(0, -w.rank));
  parts.push_back(part_of(w.rank, 0));
  parts.push_back(part_of(w.rank / 2, -w.rank));  // the pairs again: on the first's segment or on that of all
  return parts;
}

void each_goes_on_by_itself(std::vector<Part>& parts) {
  for (const Part& part : parts) expect_whole(part, "while all are alive");
  for (int round = 0; round < 5; ++round) {
    for (Part& part : parts) part.context.quiesce();
  }
  // One context more often than the others: a barrier that reached across would hang.
  for (int round = 0; round <= world().rank / 2; ++round) parts[0].context.quiesce();
}

// Ranks are numbered anew in each context, and a context's segment may be another's, with an order of its own: who is
// where right now is what was published while nobody moves.
void live_is_what_was_published(const std::vector<Part>& parts, int cores) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (int core = 0; core < cores; ++core) {
      const std::vector<std::int32_t> published = parts[i].context.peers_in(Resource::core, core);
      const std::vector<std::int32_t> live = parts[i].context.peers_in(Resource::core, core, View::live);
      expect(live == published,
             "part " + std::to_string(i) + ", core " + std::to_string(core) + ": live are those that were published");
    }
  }
}

// Each context pushes on top of the former one's; every context sees where its ranks are, whoever pushed.
void bindings_nest_across_contexts(std::vector<Part>& parts) {
  const int cores = parts[0].context.count(Resource::core);
  std::vector<std::string> bindings{parts[0].context.binding_string()};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].context.push(Resource::core, (world().rank + static_cast<int>(i)) % cores);
    bindings.push_back(parts[i].context.binding_string());
  }
  const int last = (world().rank + static_cast<int>(parts.size()) - 1) % cores;
  for (Part& part : parts) {
    part.context.quiesce();
    expect_equal(part.context.depth(), 1, "entries of one context");
    expect(part.context.encloses(Resource::core, last), "the binding is the innermost push's in each context");
    const std::vector<std::int32_t> on_mine = part.context.peers_in(Resource::core, last);
    expect(std::find(on_mine.begin(), on_mine.end(), part.rank) != on_mine.end(), "I am where I am bound");
  }
  live_is_what_was_published(parts, cores);
  MPI_Barrier(MPI_COMM_WORLD);  // nobody pops while another looks
  expect_status(comity_context_pop(parts[0].context.handle()), COMITY_ERR_ORDER, "pop below another context's entry");
  for (std::size_t i = parts.size(); i-- > 0;) {
    parts[i].context.pop();
    expect_equal(parts[i].context.binding_string(), bindings[i], "binding after a pop");
  }
}

// Freed in another order than made; one below others on the stack takes its entry with it.
void freed_in_any_order(std::vector<Part>& parts) {
  const std::string before = parts[0].context.binding_string();
  parts[1].context.push(Resource::core, 0);
  parts[3].context.push(Resource::machine, 0);
  parts.erase(parts.begin() + 1);
  parts[2].context.pop();
  expect_equal(parts[0].context.binding_string(), before, "binding after an entry went with its context");
  parts.erase(parts.begin());
  for (Part& part : parts) part.context.quiesce();
  while (!parts.empty()) {
    parts.back().context.quiesce();
    parts.pop_back();
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  world_rank = world().rank;
  const int rounds = world().size > 4 ? 1 : 3;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Part> parts = overlapping_parts();
    each_goes_on_by_itself(parts);
    bindings_nest_across_contexts(parts);
    freed_in_any_order(parts);
  }
  MPI_Finalize();
  return finish();
}
