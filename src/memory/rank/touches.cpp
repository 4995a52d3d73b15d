// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/touches.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>

#include "memory/rank/written.hpp"
#include "os/code/loaded_object.hpp"
#include "os/cpus/affinity.hpp"
#include "os/kernel.hpp"
#include "os/threads/threads.hpp"

namespace comity::memory {
namespace {

using record::ColumnKind;

constexpr unsigned kEvery = 16;  // of small pages 64 KiB

// Of a page table's entries, each of eight bytes, one page is full.
std::uint64_t huge_page_bytes() { return os::page_bytes() * (os::page_bytes() / 8); }

bool works_for_others(Component component) { return component == Component::libc || component == Component::allocator; }

}  // namespace

Touches::Touches(const Components& components, const Ledger* ledger, bool (*is_on)() noexcept)
    : components_(components),
      ledger_(ledger),
      is_on_(is_on),
      process_(os::process_id()),
      pages_(os::Pagemap::of_this_process()),
      ring_(os::affinity(0), kEvery) {}

interpose::Depth Touches::depth(const interpose::Facts& /*facts*/) const noexcept { return interpose::Depth::calls; }
bool Touches::announces(const interpose::Facts& /*facts*/) const noexcept { return true; }

Touches::Seat* Touches::my_seat() noexcept {
  constinit thread_local Seat* mine __attribute__((tls_model("initial-exec"))) = nullptr;
  if (mine != nullptr) return mine;
  const pid_t me = os::this_thread();
  for (Seat& seat : seats_) {
    pid_t who = 0;
    if (!seat.thread.compare_exchange_strong(who, me, std::memory_order_relaxed) && who != me) continue;
    mine = &seat;
    break;
  }
  return mine;
}

const interpose::Facts* Touches::call_of(pid_t thread) const noexcept {
  for (const Seat& seat : seats_) {
    const pid_t who = seat.thread.load(std::memory_order_relaxed);
    if (who == thread) return seat.call.load(std::memory_order_relaxed);
    if (who == 0) break;
  }
  return nullptr;
}

void Touches::before(const interpose::Call& call) noexcept {
  catch_up();
  if (Seat* const seat = my_seat()) seat->call.store(call.facts, std::memory_order_relaxed);
}

void Touches::after(const interpose::Event& /*event*/) noexcept {
  catch_up();
  if (Seat* const seat = my_seat()) seat->call.store(nullptr, std::memory_order_relaxed);
}

void Touches::catch_up() noexcept {
  if (os::process_id() != process_ || !ring_.has_news()) return;
  const std::lock_guard lock(mutex_);
  try {
    faults_.clear();
    lost_ += static_cast<std::int64_t>(ring_.read(faults_)) * ring_.every();
    if (faults_.empty() || !is_on_()) return;
    if (ledger_ != nullptr) owned_ = owned_ranges(*ledger_);
    for (const os::FaultRing::Fault& fault : faults_) add(fault);
  } catch (const std::exception&) {  // no memory for one more row
  }
}

void Touches::add(const os::FaultRing::Fault& fault) {
  const interpose::Facts* const call = call_of(fault.thread);
  const Key key{call != nullptr ? call->name : kBetweenCalls, owner_of(fault.address),
                toucher_of(fault.code, call != nullptr)};
  auto row = rows_.find(key);
  if (row == rows_.end()) {
    const Key elsewhere{kElsewhere, std::get<1>(key), std::get<2>(key)};
    row = rows_.try_emplace(rows_.size() < kMostRows ? key : elsewhere).first;
  }
  const bool is_huge = pages_ && pages_->is_huge(fault.address);
  row->second.faults += ring_.every();
  row->second.bytes += ring_.every() * static_cast<std::int64_t>(is_huge ? huge_page_bytes() : os::page_bytes());
}

// What lies in no range is a part of an object, or of a heap or a stack, or has gone.
Component Touches::owner_of(std::uint64_t address) const noexcept {
  const auto behind = std::upper_bound(owned_.begin(), owned_.end(), address,
                                       [](std::uint64_t at, const OwnedRange& range) { return at < range.start; });
  if (behind != owned_.begin() && address < std::prev(behind)->end) return std::prev(behind)->component;
  return component_at(address, Component::anonymous);
}

Component Touches::component_at(std::uint64_t address, Component otherwise) const noexcept {
  const std::optional<os::LoadedObject> object = os::loaded_object_at(address);
  return object ? components_.of_object(object->path) : otherwise;
}

Component Touches::toucher_of(std::uint64_t code, bool inside) const noexcept {
  const Component component =
      os::FaultRing::is_of_kernel(code) ? Component::libc : component_at(code, Component::application);
  if (!works_for_others(component)) return component;
  return inside ? Component::mpi : Component::application;
}

void Touches::add_to(record::Content& content) const {
  record::Table table(kTouchesTable, {{"function", ColumnKind::text},
                                      {"owner", ColumnKind::text},
                                      {"toucher", ColumnKind::text},
                                      {"bytes", ColumnKind::integer},
                                      {"faults", ColumnKind::integer}});
  const std::lock_guard lock(mutex_);
  std::vector<const std::pair<const Key, Sum>*> rows;
  rows.reserve(rows_.size());
  for (const auto& row : rows_) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return a->second.bytes > b->second.bytes; });
  if (rows.size() > kMostWritten) rows.resize(kMostWritten);
  const auto name = [&](Component component) { return std::string(components_.name(component)); };
  for (const auto* row : rows) {
    const auto& [function, owner, toucher] = row->first;
    table.add_row({std::string(function), name(owner), name(toucher), row->second.bytes, row->second.faults});
  }
  if (lost_ > 0) {
    const auto bytes = lost_ * static_cast<std::int64_t>(os::page_bytes());
    table.add_row({std::string(kNotTold), name(Component::unknown), name(Component::unknown), bytes, lost_});
  }
  content.facts[kTouchesFact] = ring_.sees_system_calls() ? kAllFaults : kProgramsFaults;
  content.tables.emplace(table.name(), std::move(table));
}

}  // namespace comity::memory
