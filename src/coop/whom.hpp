// SPDX-License-Identifier: BSD-3-Clause
// Whom: those ranks of a communicator that a rank waits for before it goes into a collective of the library, as the arguments of
// the call tell. Only these are safe: all, where nobody can be done before all have come, and the root, who is waiting for
// nobody. A rank that waits in front of a call gives nothing of its own part, and takes nothing of a large message: where others
// can be done without those that it needs, it would keep them, and perhaps the whole program, from going on.
#pragma once

#include <cstdint>

namespace comity::coop {

class Whom {
 public:
  enum class Kind : std::uint8_t { uncounted, nobody, everybody, everybody_if_all_give, root };

  // Of a call in front of which no rank waits for another one, whatever its arguments: nobody looks who has come to it.
  [[nodiscard]] static constexpr Whom uncounted() { return Whom(Kind::uncounted); }
  [[nodiscard]] static constexpr Whom nobody() { return Whom(Kind::nobody); }
  [[nodiscard]] static constexpr Whom everybody() { return Whom(Kind::everybody); }

  // Of a call without data, as each rank of a group answers where one does.
  [[nodiscard]] static constexpr Whom nobody_at_all() {
    Whom whom(Kind::nobody);
    whom.is_at_all_ = true;
    return whom;
  }

  // Nobody needs anybody for no data.
  template <class Count>
  [[nodiscard]] static constexpr Whom everybody_for(Count count) {
    return count == 0 ? nobody_at_all() : everybody();
  }
  template <class Count>
  [[nodiscard]] static constexpr Whom root_for(Count count, int root) {
    return Whom(count == 0 ? Kind::nobody : Kind::root, root);
  }
  // counts: of each rank, the same on all of them.
  template <class Count>
  [[nodiscard]] static constexpr Whom everybody_if_all_give(const Count* counts) {
    static_assert(sizeof(Count) == sizeof(std::int32_t) || sizeof(Count) == sizeof(std::int64_t));
    return Whom(counts == nullptr ? Kind::nobody : Kind::everybody_if_all_give, 0, counts,
                sizeof(Count) == sizeof(std::int64_t));
  }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_nobody_at_all() const { return is_at_all_; }
  [[nodiscard]] int root() const { return root_; }
  [[nodiscard]] bool all_give(int ranks) const {
    for (int rank = 0; rank < ranks; ++rank) {
      const bool gives = are_large_ ? static_cast<const std::int64_t*>(counts_)[rank] > 0
                                    : static_cast<const std::int32_t*>(counts_)[rank] > 0;
      if (!gives) return false;
    }
    return true;
  }

 private:
  constexpr explicit Whom(Kind kind, int root = 0, const void* counts = nullptr, bool are_large = false)
      : counts_(counts), root_(root), kind_(kind), are_large_(are_large) {}

  const void* counts_;
  int root_;
  Kind kind_;
  bool are_large_;
  bool is_at_all_ = false;
};

}  // namespace comity::coop
