// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a merge as threads of one process, which send to one another through queues.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "record/merge/exchange.hpp"

namespace comity::testing {

class Mail {
 public:
  void put(int from, int to, record::Bytes bytes) {
    const std::lock_guard lock(mutex_);
    boxes_[{from, to}].push_back(std::move(bytes));
    arrived_.notify_all();
  }
  record::Bytes take(int from, int to) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[{from, to}];
    arrived_.wait(lock, [&] { return !box.empty(); });
    record::Bytes bytes = std::move(box.front());
    box.pop_front();
    return bytes;
  }
  [[nodiscard]] bool is_empty() const {
    for (const auto& [way, box] : boxes_) {
      if (!box.empty()) return false;
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, std::deque<record::Bytes>> boxes_;
};

class ThreadExchange final : public record::Exchange {
 public:
  ThreadExchange(Mail& mail, int rank, int size) : mail_(mail), rank_(rank), size_(size) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  void send(int to, std::span<const std::byte> bytes) override { mail_.put(rank_, to, {bytes.begin(), bytes.end()}); }
  [[nodiscard]] record::Bytes receive(int from) override { return mail_.take(from, rank_); }

 private:
  Mail& mail_;
  int rank_;
  int size_;
};

// Runs `body` on each rank. Returns whether every message was received.
inline bool run_exchange(int ranks, const std::function<void(ThreadExchange&)>& body) {
  Mail mail;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadExchange exchange(mail, rank, ranks);
      body(exchange);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return mail.is_empty();
}

}  // namespace comity::testing
