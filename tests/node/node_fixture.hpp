// SPDX-License-Identifier: BSD-3-Clause
// What most tests of the node attach with: a payload of a few bytes and one hart a rank.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "node/group.hpp"
#include "node/node.hpp"

namespace comity::testing {

inline std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Rank i is bound to hart i, of `harts`.
inline std::shared_ptr<node::Node> attach(node::Bootstrap& job, const node::AttachOptions& options = {},
                                          std::size_t harts = 64) {
  return node::Node::attach(
      job, options, [] { return bytes_of("payload"); },
      [&](std::span<const std::byte>) {
        return node::LocalFacts{.mask = CpuSet{static_cast<std::size_t>(job.job_rank())}, .hart_count = harts};
      });
}

// What a step throws; Status::ok when it does not.
template <typename Step>
Status status_of(Step&& step, std::string* words = nullptr) {
  try {
    step();
    return Status::ok;
  } catch (const Error& error) {
    if (words != nullptr) *words = error.what();
    return error.status();
  }
}

}  // namespace comity::testing
