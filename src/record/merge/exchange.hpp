// SPDX-License-Identifier: BSD-3-Clause
// Exchange: how the ranks of a job send one another bytes while they merge; made of MPI elsewhere, of threads in tests.
#pragma once

#include <span>

#include "record/format/bytes.hpp"

namespace comity::record {

class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  // Messages from one rank to another arrive whole and in order. May wait until the other receives. In a merge the
  // longest are pieces of a body (OwnBody), or summaries.
  virtual void send(int to, std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual Bytes receive(int from) = 0;
};

}  // namespace comity::record
