// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: whatever stands behind a good header, a participant stays inside the segment, ends every call, and
// crashes in none. The input fills records, hart words and group slots, again and again where it is short.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "node/group.hpp"
#include "node/node.hpp"
#include "os/files/memory_file.hpp"
#include "os/kernel.hpp"

namespace {

using namespace comity;
using Input = std::span<const std::uint8_t>;

constexpr node::Extent kExtent{.participants = 3, .harts = 8, .payload_bytes = 64};
constexpr std::size_t kLookedAt = 8;  // slots of the many that there are

os::Descriptor hostile_file(Input input) {
  const node::Header header = node::lay_out(kExtent);
  os::Descriptor file = os::create_memory_file("hostile", header.total_bytes);
  (void)node::Segment::format(file, kExtent, {1, 2}, std::vector<std::byte>(kExtent.payload_bytes));
  const os::Mapping memory = os::Mapping::shared(file, header.total_bytes);
  for (std::size_t at = sizeof(node::Header); at < header.payload_offset; ++at) {
    memory.bytes()[at] = static_cast<std::byte>(input[at % input.size()]);
  }
  return file;
}

std::shared_ptr<node::Node> attach(Input input) {
  const os::Descriptor file = hostile_file(input);
  return std::make_shared<node::Node>(node::Segment::open(file),
                                      std::make_unique<os::OfdLock>(os::reopen(file), input[0] % 3), input[0] % 3,
                                      node::AttachOptions{.spin_us = 0});
}

template <typename Step>
void attempt(Step&& step) {
  try {
    step();
  } catch (const Error&) {
    return;  // told
  }
}

void use_harts(node::Node& node, Input input) {
  for (std::size_t hart = 0; hart < node.harts().hart_count(); ++hart) {
    (void)node.harts().hold(hart, node.participant());
    node.harts().give_back(hart, node.participant());
    node.harts().withdraw(hart);
    (void)node.harts().wanted(hart);
  }
  node.fall_asleep();
  node.awake();
  node.harts().drop_dead(input.back() % 4);
}

void use_participants(node::Node& node) {
  for (int who = -1; who <= node.participants(); ++who) {
    attempt([&] {
      (void)node.alive(who);
      (void)node.home_mask(who);
      (void)node.published_mask(who);
      (void)node.look_at(who);
      (void)node.look_at_threads(who);
      (void)node.wake_cost(who);
    });
  }
  (void)node.spin_budget();
  node.note_wake(Nanoseconds(1000));
  node.publish_mask(CpuSet{1});
}

// A slot that the input says is ours, and one that we claim.
void use_groups(const std::shared_ptr<node::Node>& node) {
  std::vector<int> all(static_cast<std::size_t>(node->participants()));
  std::iota(all.begin(), all.end(), 0);
  for (std::uint32_t slot = 0; slot < kLookedAt; ++slot) {
    const auto epoch = static_cast<std::uint32_t>(node->segment().group(slot).state.load() >> 32U);
    attempt([&] {
      node::Group group(node, {slot, epoch}, all);
      (void)group.follow_first([] { return CpuSet{1}; });
      group.wait(Nanoseconds(0));
    });
  }
  if (const auto claim = node::Slots(*node).claim(all)) {
    attempt([&] { node::Group(node, *claim, all).wait(Nanoseconds(0)); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  if (bytes == 0) return 0;
  const Input input(data, bytes);
  const std::shared_ptr<node::Node> node = attach(input);
  use_participants(*node);
  use_groups(node);
  use_harts(*node, input);
  return 0;
}
