// SPDX-License-Identifier: BSD-3-Clause
#include "live/page_writer.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <vector>

#include "os/files/memory_file.hpp"
#include "os/kernel.hpp"
#include "os/threads/threads.hpp"

namespace comity::live {
namespace {

constexpr std::string_view kCut = "..";

std::string names_of(std::span<const std::string_view> functions) {
  std::string names;
  for (const std::string_view name : functions) names.append(name).append(1, '\0');
  return names;
}

template <std::size_t kBytes>
void copy_text(char (&into)[kBytes], std::string_view text) {
  const std::size_t bytes = std::min(text.size(), kBytes - 1);
  std::memcpy(into, text.data(), bytes);
  into[bytes] = '\0';
}

bool continues_a_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// The end of a path is what tells regions apart; "" before what fits as a whole, ".." before what does not.
std::string_view end_of(std::string_view path, std::size_t most_bytes, std::string_view& before) {
  before = path.size() <= most_bytes ? "" : kCut;
  if (before.empty()) return path;
  path.remove_prefix(path.size() + before.size() - most_bytes);
  while (!path.empty() && continues_a_letter(path.front())) path.remove_prefix(1);
  return path;
}

template <typename Word, typename Value>
void store(Word& word, Value value) {
  std::atomic_ref(word).store(static_cast<Word>(value), std::memory_order_relaxed);
}

// The one of this process.
constinit std::atomic<PageWriter*> the_page{nullptr};

}  // namespace

constinit Row* const PageWriter::kUntaken = nullptr;
constinit thread_local Seat PageWriter::seat_ = &kUntaken;

PageWriter::PageWriter(std::span<const std::string_view> functions) {
  const std::string names = names_of(functions);
  const std::size_t rows_at = (sizeof(Header) + alignof(Row) - 1) / alignof(Row) * alignof(Row);
  const std::size_t names_at = rows_at + kRows * sizeof(Row);
  file_ = os::create_memory_file(kFileName, names_at + names.size());
  page_ = os::Mapping::shared(file_, names_at + names.size());
  seats_ = os::Mapping::forgotten_by_children((kRows + 1) * sizeof(void*));
  std::memcpy(page_.bytes().data() + names_at, names.data(), names.size());
  Header& head = header();
  head.version = kVersion;
  head.byte_order = kByteOrder;
  head.header_bytes = sizeof(Header);
  head.total_bytes = static_cast<std::uint32_t>(page_.bytes().size());
  head.rows_at = static_cast<std::uint32_t>(rows_at);
  head.row_bytes = sizeof(Row);
  head.rows = kRows;
  head.names_at = static_cast<std::uint32_t>(names_at);
  head.names_bytes = static_cast<std::uint32_t>(names.size());
  head.functions = static_cast<std::uint32_t>(functions.size());
  head.process = static_cast<std::uint32_t>(os::process_id());
  copy_text(head.host, os::host_name());
  std::atomic_ref(head.magic).store(kMagic, std::memory_order_release);
  the_page.store(this, std::memory_order_release);
}

// In tests: a thread that has written here writes no more.
PageWriter::~PageWriter() { the_page.store(nullptr, std::memory_order_relaxed); }

Header& PageWriter::header() const { return *reinterpret_cast<Header*>(page_.bytes().data()); }

std::span<Row> PageWriter::rows() const {
  return {reinterpret_cast<Row*>(page_.bytes().data() + header().rows_at), kRows};
}

bool PageWriter::is_ours() const { return header().process == static_cast<std::uint32_t>(os::process_id()); }

void PageWriter::begin(const Rank& rank) noexcept {
  if (!is_ours()) return;
  Header& head = header();
  copy_text(head.mpi, rank.mpi);
  store(head.job, rank.job);
  store(head.rank, rank.rank);
  store(head.ranks, rank.ranks);
  store(head.main_thread, os::this_thread());
  std::atomic_ref(head.phase).store(static_cast<std::uint32_t>(Phase::in_run), std::memory_order_release);
}

void PageWriter::end() noexcept {
  if (is_ours()) store(header().phase, Phase::after_finalize);
}

void PageWriter::show(Recording recording) noexcept {
  if (is_ours()) store(header().recording, recording);
}

// Whoever may write to the page may write anything.
Recording PageWriter::take_wish() noexcept {
  if (std::atomic_ref(header().recording_wish).load(std::memory_order_relaxed) == 0 || !is_ours())
    return Recording::none;
  const std::uint32_t wish = std::atomic_ref(header().recording_wish).exchange(0, std::memory_order_relaxed);
  if (wish == static_cast<std::uint32_t>(Recording::on)) return Recording::on;
  return wish == static_cast<std::uint32_t>(Recording::off) ? Recording::off : Recording::none;
}

// Looked for once a thread.
Row* PageWriter::find_row() noexcept {
  static constinit Row* const nowhere = nullptr;
  if (seat_ != &kUntaken) return *seat_;
  PageWriter* const page = the_page.load(std::memory_order_acquire);
  seat_ = page != nullptr && page->is_ours() ? page->seat_in_page() : &nowhere;
  return *seat_;
}

// The last seat leads nowhere for good.
Seat PageWriter::seat_in_page() noexcept {
  auto* const seats = reinterpret_cast<Row**>(seats_.bytes().data());
  const std::lock_guard guard(taking_);
  Row* const row = free_row();
  if (row == nullptr) {
    store(header().untold_threads, header().untold_threads + 1);
    return seats + kRows;
  }
  store(row->function, kOutside);
  store(row->region_bytes, 0);
  store(row->thread, os::this_thread());
  Row** const seat = seats + (row - rows().data());
  *seat = row;
  return seat;
}

// That of an ended thread whose number this one has now, else one that nobody had, else that of any ended thread; null where
// there is none, or the threads cannot be listed.
Row* PageWriter::free_row() noexcept {
  for (const auto number : {static_cast<std::uint32_t>(os::this_thread()), std::uint32_t{0}}) {
    for (Row& row : rows()) {
      if (row.thread == number) return &row;
    }
  }
  try {
    std::vector<pid_t> threads;
    os::list_threads(threads);
    for (Row& row : rows()) {
      if (!std::binary_search(threads.begin(), threads.end(), static_cast<pid_t>(row.thread))) return &row;
    }
  } catch (const std::exception&) {
    return nullptr;
  }
  return nullptr;
}

void PageWriter::turn_to(std::string_view region) noexcept {
  Row* const row = row_of_this_thread();
  if (row == nullptr) return;
  std::string_view before;
  const std::string_view end = end_of(region, kRegion_bytes, before);
  const std::uint32_t turn = row->region_before + 1;
  store(row->region_before, turn);
  std::atomic_thread_fence(std::memory_order_release);
  std::copy(end.begin(), end.end(), std::copy(before.begin(), before.end(), row->region));
  store(row->region_bytes, before.size() + end.size());
  std::atomic_ref(row->region_after).store(turn, std::memory_order_release);
}

}  // namespace comity::live
