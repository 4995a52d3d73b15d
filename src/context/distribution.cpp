// SPDX-License-Identifier: BSD-3-Clause
#include "context/distribution.hpp"

#include <algorithm>
#include <optional>

namespace comity::context {
namespace {

using Indices = std::vector<int>;

Indices with_cpus(std::span<const CpuSet> objects) {
  Indices some;
  for (std::size_t object = 0; object < objects.size(); ++object) {
    if (!objects[object].empty()) some.push_back(static_cast<int>(object));
  }
  return some;
}

// touched[rank]: the objects that the rank's mask intersects, ascending.
std::vector<Indices> touched_objects(std::span<const CpuSet> objects, std::span<const CpuSet> masks) {
  std::vector<Indices> touched(masks.size());
  for (std::size_t rank = 0; rank < masks.size(); ++rank) {
    for (std::size_t object = 0; object < objects.size(); ++object) {
      if (masks[rank].intersects(objects[object])) touched[rank].push_back(static_cast<int>(object));
    }
  }
  return touched;
}

// Seats on objects, so many on each. A later rank may move an earlier one to another object it touches, never unseat it
// (augmenting paths), so no object stays empty that could be served.
class Seats {
 public:
  Seats(const std::vector<Indices>& touched, std::size_t objects) : touched_(touched), seated_(objects) {}

  // False: no seat is left for this rank while an object has at most `max_per`.
  bool seat(int rank, std::size_t max_per) {
    max_per_ = max_per;
    std::vector<bool> tried(seated_.size(), false);
    return find_seat(rank, tried);
  }
  [[nodiscard]] const std::vector<Indices>& by_object() const { return seated_; }

 private:
  bool find_seat(int rank, std::vector<bool>& tried) {
    for (const int object : touched_[static_cast<std::size_t>(rank)]) {
      auto& ranks = seated_[static_cast<std::size_t>(object)];
      if (ranks.size() < max_per_) {
        ranks.push_back(rank);
        return true;
      }
    }
    for (const int object : touched_[static_cast<std::size_t>(rank)]) {
      if (tried[static_cast<std::size_t>(object)]) continue;
      tried[static_cast<std::size_t>(object)] = true;
      auto& ranks = seated_[static_cast<std::size_t>(object)];
      for (std::size_t i = ranks.size(); i-- > 0;) {
        if (!find_seat(ranks[i], tried)) continue;
        // The moved rank sits elsewhere now; `ranks` is untouched by that, since this object is marked as tried.
        ranks[i] = rank;
        return true;
      }
    }
    return false;
  }

  const std::vector<Indices>& touched_;
  std::vector<Indices> seated_;
  std::size_t max_per_ = 0;
};

// Ranks inside one object, then the others; without those that touch none.
Indices in_order_of_fill(const std::vector<Indices>& touched) {
  Indices order;
  const auto add = [&](auto&& wanted) {
    for (std::size_t rank = 0; rank < touched.size(); ++rank) {
      if (wanted(touched[rank].size())) order.push_back(static_cast<int>(rank));
    }
  };
  add([](std::size_t objects) { return objects == 1; });
  add([](std::size_t objects) { return objects > 1; });
  return order;
}

// Fill: who is selected is settled with all seats of all objects; where they sit anew, first one on each object, then two,
// so that none stays empty while another has more than it needs ("evenly": 000, Programmable Dynamic Process Affinities).
std::vector<Indices> select_fill(const std::vector<Indices>& touched, std::size_t objects, int max_per) {
  Indices standing = in_order_of_fill(touched);
  Seats all_seats(touched, objects);
  std::erase_if(standing, [&](int rank) { return !all_seats.seat(rank, static_cast<std::size_t>(max_per)); });
  Seats even(touched, objects);
  for (std::size_t per = 1; !standing.empty(); ++per) {
    std::erase_if(standing, [&](int rank) { return even.seat(rank, per); });
  }
  return even.by_object();
}

// Algorithm 1 to the letter: a rank that touches every object is selected only where all ranks do, and then by its
// number; another rank is selected if it is among the first max_per of an object.
std::vector<Indices> select_algorithm_1(const std::vector<Indices>& touched, std::size_t objects, int max_per) {
  const auto in_all = [&](std::size_t rank) { return touched[rank].size() == objects; };
  bool all_overlap = true;
  for (std::size_t rank = 0; rank < touched.size(); ++rank) all_overlap = all_overlap && in_all(rank);

  std::vector<Indices> selected(objects);
  std::vector<std::size_t> seen(objects, 0);  // ranks of each object's task set so far
  for (std::size_t rank = 0; rank < touched.size(); ++rank) {
    std::optional<int> object;
    for (const int candidate : touched[rank]) {
      const bool first_ones = seen[static_cast<std::size_t>(candidate)]++ < static_cast<std::size_t>(max_per);
      if (first_ones && !object) object = candidate;
    }
    if (all_overlap) {
      const bool slot_exists = rank < static_cast<std::size_t>(max_per) * objects;
      object = slot_exists ? std::optional(static_cast<int>(rank % objects)) : std::nullopt;
    } else if (in_all(rank)) {
      object = std::nullopt;
    }
    if (object) selected[static_cast<std::size_t>(*object)].push_back(static_cast<int>(rank));
  }
  return selected;
}

// libquo 1.4 as it behaves: ranks that touch several objects count only where all ranks do, and then by their number;
// otherwise the first max_per of those that touch one object alone. Nobody fills what is left.
std::vector<Indices> select_quo_1_4(const std::vector<Indices>& touched, std::size_t objects, int max_per) {
  const auto in_several = [](const Indices& touches) { return touches.size() > 1; };
  const auto room = static_cast<std::size_t>(max_per);
  const bool all_in_several = std::all_of(touched.begin(), touched.end(), in_several);
  std::vector<Indices> selected(objects);
  for (std::size_t rank = 0; rank < touched.size(); ++rank) {
    if (all_in_several) {
      if (rank < room * objects) selected[rank % objects].push_back(static_cast<int>(rank));
    } else if (touched[rank].size() == 1) {
      Indices& ranks = selected[static_cast<std::size_t>(touched[rank].front())];
      if (ranks.size() < room) ranks.push_back(static_cast<int>(rank));
    }
  }
  return selected;
}

std::vector<Indices> select(Rule rule, const std::vector<Indices>& touched, std::size_t objects, int max_per) {
  switch (rule) {
    case Rule::fill:
      return select_fill(touched, objects, max_per);
    case Rule::algorithm_1:
      return select_algorithm_1(touched, objects, max_per);
    case Rule::quo_1_4:
      return select_quo_1_4(touched, objects, max_per);
  }
  return std::vector<Indices>(objects);
}

// The leader of a rank that rests: of the selected ranks that work on an object it touches, else of all, the one that
// works for the fewest, lowest rank first.
int choose_leader(const Indices& touched, const std::vector<Indices>& selected, const std::vector<Assignment>& rows) {
  int best = kNobody;
  const auto consider = [&](int rank) {
    const auto load = [&](int r) { return rows[static_cast<std::size_t>(r)].share_count; };
    if (best == kNobody || load(rank) < load(best) || (load(rank) == load(best) && rank < best)) best = rank;
  };
  for (const int object : touched) {
    for (const int rank : selected[static_cast<std::size_t>(object)]) consider(rank);
  }
  if (best != kNobody) return best;
  for (const Indices& ranks : selected) {
    for (const int rank : ranks) consider(rank);
  }
  return best;
}

}  // namespace

Indices places_among(std::span<const CpuSet> objects) {
  Indices places;
  std::vector<std::optional<std::size_t>> lowest;  // PU of each place: sets that differ there need no comparison
  for (const int object : with_cpus(objects)) {
    const CpuSet& set = objects[static_cast<std::size_t>(object)];
    const std::optional<std::size_t> first = set.lowest();
    bool known = false;
    for (std::size_t i = 0; i < places.size() && !known; ++i) {
      known = lowest[i] == first && objects[static_cast<std::size_t>(places[i])] == set;
    }
    if (known) continue;
    places.push_back(object);
    lowest.push_back(first);
  }
  return places;
}

std::vector<Assignment> distribute(std::span<const CpuSet> objects, std::span<const CpuSet> masks, int max_per,
                                   Rule rule) {
  const Indices places = rule == Rule::fill ? places_among(objects) : with_cpus(objects);
  std::vector<CpuSet> sets;
  for (const int object : places) sets.push_back(objects[static_cast<std::size_t>(object)]);
  const std::vector<Indices> touched = touched_objects(sets, masks);
  const std::vector<Indices> selected = select(rule, touched, places.size(), max_per);
  std::vector<Assignment> rows(masks.size());
  for (std::size_t place = 0; place < selected.size(); ++place) {
    for (const int rank : selected[place]) rows[static_cast<std::size_t>(rank)] = {true, places[place], rank, 0, 1};
  }
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    Assignment& row = rows[rank];
    if (row.selected) continue;
    row.leader = choose_leader(touched[rank], selected, rows);
    if (row.leader != kNobody) row.share = rows[static_cast<std::size_t>(row.leader)].share_count++;
  }
  for (Assignment& row : rows) {
    if (row.leader != kNobody) row.share_count = rows[static_cast<std::size_t>(row.leader)].share_count;
  }
  return rows;
}

}  // namespace comity::context
