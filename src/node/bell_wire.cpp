// SPDX-License-Identifier: BSD-3-Clause
#include "node/bell_wire.hpp"

namespace comity::node {

BellWire::BellWire(const Header& header, int me) : id_(header.id), key_(header.nonce), mine_(name_of(me), key_) {}

}  // namespace comity::node
