// SPDX-License-Identifier: BSD-3-Clause
#include "os/memory/fault_ring.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "os/kernel.hpp"

namespace comity::os {
namespace {

constexpr std::size_t kAllPages = 256;  // what users may lock for this without more rights, for two CPUs
constexpr std::size_t kMostPages = 64;  // of one ring

constexpr const char* kWhatToDo =
    "let /proc/sys/kernel/perf_event_paranoid be 2 or less, and the container's seccomp "
    "rules allow perf_event_open";

perf_event_attr attributes(unsigned every) {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.config = PERF_COUNT_SW_PAGE_FAULTS;
  wanted.sample_period = every;
  wanted.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR;
  wanted.inherit = 1;
  wanted.exclude_hv = 1;
  return wanted;
}

// What a sample has behind its header, by sample_type above.
struct Sample {
  std::uint64_t code;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint64_t address;
};
struct Lost {
  std::uint64_t event;
  std::uint64_t count;
};

int open_event(perf_event_attr& wanted, int cpu) {
  return static_cast<int>(::syscall(SYS_perf_event_open, &wanted, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

perf_event_mmap_page& control_of(const Mapping& mapping) {
  return *reinterpret_cast<perf_event_mmap_page*>(mapping.bytes().data());
}

// The kernel writes round and round.
class Reader {
 public:
  explicit Reader(const Mapping& mapping)
      : control_(control_of(mapping)),
        data_(mapping.bytes().subspan(control_.data_offset, control_.data_size)),
        head_(__atomic_load_n(&control_.data_head, __ATOMIC_ACQUIRE)),
        tail_(control_.data_tail) {}
  ~Reader() { __atomic_store_n(&control_.data_tail, head_, __ATOMIC_RELEASE); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[nodiscard]] bool next(perf_event_header& header) {
    if (body_ != 0) tail_ += body_;
    if (head_ - tail_ < sizeof header || head_ - tail_ > data_.size()) return false;
    copy(tail_, &header, sizeof header);
    body_ = header.size;
    return body_ >= sizeof header && body_ <= head_ - tail_;
  }
  template <typename Body>
  [[nodiscard]] Body body() const {
    Body body{};
    copy(tail_ + sizeof(perf_event_header), &body, std::min(sizeof body, body_ - sizeof(perf_event_header)));
    return body;
  }

 private:
  void copy(std::uint64_t from, void* into, std::size_t bytes) const {
    const std::size_t at = from % data_.size();
    const std::size_t until_end = std::min(bytes, data_.size() - at);
    std::memcpy(into, data_.data() + at, until_end);
    std::memcpy(static_cast<std::byte*>(into) + until_end, data_.data(), bytes - until_end);
  }

  perf_event_mmap_page& control_;
  std::span<std::byte> data_;
  std::uint64_t head_;
  std::uint64_t tail_;
  std::size_t body_ = 0;  // of the record at the tail, with its header
};

Mapping ring_of(const Descriptor& event, std::size_t pages) try {
  return Mapping::shared(event, (1 + pages) * page_bytes());
} catch (const Error& error) {
  throw Error(error.status(), std::string("keep page faults: ") + error.what() +
                                  "; let /proc/sys/kernel/perf_event_mlock_kb or the limit of locked memory be larger");
}

}  // namespace

FaultRing::FaultRing(const CpuSet& cpus, unsigned every) : every_(every) {
  perf_event_attr wanted = attributes(every);
  const std::size_t pages =
      std::clamp(std::bit_floor(kAllPages / std::max<std::size_t>(1, cpus.count())), std::size_t{1}, kMostPages);
  for (auto cpu = cpus.lowest(); cpu; cpu = cpus.next(*cpu + 1)) {
    Descriptor event(open_event(wanted, static_cast<int>(*cpu)));
    if (!event.valid() && errno == EACCES && sees_system_calls_) {
      sees_system_calls_ = false;
      wanted.exclude_kernel = 1;
      event = Descriptor(open_event(wanted, static_cast<int>(*cpu)));
    }
    if (!event.valid()) throw system_error("ask for page faults: perf_event_open", errno, kWhatToDo);
    Mapping mapping = ring_of(event, pages);
    rings_.push_back({std::move(event), std::move(mapping)});
  }
}

bool FaultRing::has_news() const noexcept {
  return std::any_of(rings_.begin(), rings_.end(), [](const Ring& ring) {
    const perf_event_mmap_page& control = control_of(ring.mapping);
    return __atomic_load_n(&control.data_head, __ATOMIC_RELAXED) != control.data_tail;
  });
}

// Of fork children, which inherit the events, nothing is told.
std::uint64_t FaultRing::read(std::vector<Fault>& into) {
  const auto me = static_cast<std::uint32_t>(process_id());
  std::uint64_t lost = 0;
  for (const Ring& ring : rings_) {
    Reader reader(ring.mapping);
    for (perf_event_header header{}; reader.next(header);) {
      if (header.type == PERF_RECORD_LOST) lost += reader.body<Lost>().count;
      if (header.type != PERF_RECORD_SAMPLE) continue;
      const auto sample = reader.body<Sample>();
      if (sample.process == me) into.push_back({sample.address, sample.code, static_cast<pid_t>(sample.thread)});
    }
  }
  return lost;
}

}  // namespace comity::os
