// SPDX-License-Identifier: BSD-3-Clause
// C++ over record.h: a record and the ranks loaded from it as objects, columns by name and kind. Header-only; every rule of the
// C header holds. Views and texts live as long as the RankRecord, or the Record, that they came from.
#pragma once

#include <comity/record.h>

#include <comity/failure.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace comity {

// Constant values that stand one behind the other, and are somebody else's.
template <typename Value>
class RecordView {
 public:
  RecordView() = default;
  RecordView(const Value* first, std::int64_t count) : first_(first), count_(static_cast<std::size_t>(count)) {}

  [[nodiscard]] const Value* begin() const { return first_; }
  [[nodiscard]] const Value* end() const { return first_ + count_; }
  [[nodiscard]] const Value* data() const { return first_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] const Value& operator[](std::size_t place) const { return first_[place]; }

 private:
  const Value* first_ = nullptr;
  std::size_t count_ = 0;
};

enum class ColumnKind : int { text = COMITY_RECORD_TEXT, integer = COMITY_RECORD_INTEGER, real = COMITY_RECORD_REAL };

// A column that is asked for by its name throws COMITY_ERR_NOT_FOUND where there is none, COMITY_ERR_ARGUMENT where it is of another
// kind.
class RecordTable {
 public:
  explicit RecordTable(const comity_record_table& table) : table_(&table) {}

  [[nodiscard]] std::string_view name() const { return table_->name; }
  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(table_->rows); }
  [[nodiscard]] RecordView<comity_record_column> columns() const { return {table_->columns, table_->column_count}; }
  [[nodiscard]] bool has(std::string_view column) const { return find(column) != nullptr; }
  [[nodiscard]] RecordView<const char*> texts(std::string_view column) const {
    return {of_kind(column, ColumnKind::text).texts, table_->rows};
  }
  [[nodiscard]] RecordView<std::int64_t> integers(std::string_view column) const {
    return {of_kind(column, ColumnKind::integer).integers, table_->rows};
  }
  [[nodiscard]] RecordView<double> reals(std::string_view column) const {
    return {of_kind(column, ColumnKind::real).reals, table_->rows};
  }

 private:
  [[nodiscard]] const comity_record_column* find(std::string_view column) const {
    for (const comity_record_column& one : columns()) {
      if (one.name == column) return &one;
    }
    return nullptr;
  }
  [[nodiscard]] const comity_record_column& of_kind(std::string_view column, ColumnKind kind) const {
    const comity_record_column* const found = find(column);
    if (found == nullptr) refuse(COMITY_ERR_NOT_FOUND, column, "has no such column; columns() lists them");
    if (found->kind != static_cast<int>(kind)) {
      refuse(COMITY_ERR_ARGUMENT, column, "has that column in another kind; columns() tells which");
    }
    return *found;
  }
  [[noreturn]] void refuse(comity_status code, std::string_view column, const char* why) const {
    comity_report_failure(
        ("read the column " + std::string(column) + ": the table " + table_->name + ' ' + why).c_str());
    throw Failure(code);
  }

  const comity_record_table* table_;
};

// What a rank recorded. It may outlive its Record.
class RankRecord {
 public:
  explicit RankRecord(const comity_record_rank* loaded) : loaded_(loaded) {}
  ~RankRecord() { release(); }
  RankRecord(RankRecord&& other) noexcept : loaded_(std::exchange(other.loaded_, nullptr)) {}
  RankRecord& operator=(RankRecord&& other) noexcept {
    if (this != &other) {
      release();
      loaded_ = std::exchange(other.loaded_, nullptr);
    }
    return *this;
  }
  RankRecord(const RankRecord&) = delete;
  RankRecord& operator=(const RankRecord&) = delete;

  [[nodiscard]] const comity_record_entry& entry() const& { return loaded_->entry; }
  [[nodiscard]] bool is_damaged() const { return loaded_->is_damaged != 0; }
  [[nodiscard]] RecordView<comity_record_fact> facts() const& { return {loaded_->facts, loaded_->fact_count}; }
  [[nodiscard]] std::optional<std::string_view> fact(std::string_view key) const& {
    for (const comity_record_fact& one : facts()) {
      if (one.key == key) return one.value;
    }
    return std::nullopt;
  }
  [[nodiscard]] RecordView<comity_record_table> tables() const& { return {loaded_->tables, loaded_->table_count}; }
  // Throws COMITY_ERR_NOT_FOUND where the rank has no such table.
  [[nodiscard]] RecordTable table(std::string_view name) const& {
    for (const comity_record_table& one : tables()) {
      if (one.name == name) return RecordTable(one);
    }
    comity_report_failure(("read the table " + std::string(name) + ": rank " + std::to_string(entry().rank) +
                           " has none; tables() lists them")
                              .c_str());
    throw Failure(COMITY_ERR_NOT_FOUND);
  }
  [[nodiscard]] RecordView<comity_record_series> series() const& { return {loaded_->series, loaded_->series_count}; }
  [[nodiscard]] RecordView<comity_record_spans> spans() const& { return {loaded_->spans, loaded_->spans_count}; }

  // None: nobody knows. Where it holds: comity_record_time.
  [[nodiscard]] std::optional<std::int64_t> clock_error_ns() const {
    if (loaded_->clock_error_ns < 0) return std::nullopt;
    return loaded_->clock_error_ns;
  }
  [[nodiscard]] std::int64_t on_rank_0_ns(std::int64_t time_ns) const {
    std::int64_t aligned_ns = 0;
    check(comity_record_time(loaded_, time_ns, &aligned_ns));
    return aligned_ns;
  }

  // Of a rank that is gone at the end of the statement, or before the first turn of a loop over it: give it a name first.
  const comity_record_entry& entry() const&& = delete;
  RecordView<comity_record_fact> facts() const&& = delete;
  std::optional<std::string_view> fact(std::string_view key) const&& = delete;
  RecordView<comity_record_table> tables() const&& = delete;
  RecordTable table(std::string_view name) const&& = delete;
  RecordView<comity_record_series> series() const&& = delete;
  RecordView<comity_record_spans> spans() const&& = delete;

 private:
  void release() noexcept {
    if (loaded_ != nullptr) (void)comity_record_release(&loaded_);
  }

  const comity_record_rank* loaded_;
};

class Record {
 public:
  enum class How : int {
    whole = COMITY_RECORD_WHOLE,
    salvage = COMITY_RECORD_SALVAGE,
    recover = COMITY_RECORD_RECOVER
  };
  enum class Parts : int { all = COMITY_RECORD_ALL, fixed = COMITY_RECORD_FIXED };

  // A folder, or a merged file.
  explicit Record(const std::string& path, How how = How::whole) {
    check(comity_record_open(path.c_str(), static_cast<comity_record_how>(how), &record_));
  }
  ~Record() { close(); }
  Record(Record&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  Record& operator=(Record&& other) noexcept {
    if (this != &other) {
      close();
      record_ = std::exchange(other.record_, nullptr);
    }
    return *this;
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  [[nodiscard]] const comity_record* handle() const { return record_; }
  [[nodiscard]] const comity_record_job& job() const& {
    const comity_record_job* job = nullptr;
    check(comity_record_describe(record_, &job));
    return *job;
  }
  [[nodiscard]] RecordView<comity_record_entry> ranks() const& { return {job().entries, job().entry_count}; }
  [[nodiscard]] RecordView<const char*> notes() const& { return {job().notes, job().note_count}; }
  [[nodiscard]] RankRecord load(std::int32_t rank, Parts parts = Parts::all) const {
    const comity_record_rank* loaded = nullptr;
    check(comity_record_load(record_, rank, static_cast<comity_record_parts>(parts), &loaded));
    return RankRecord(loaded);
  }

  // Of a record that is closed by then; see RankRecord.
  const comity_record_job& job() const&& = delete;
  RecordView<comity_record_entry> ranks() const&& = delete;
  RecordView<const char*> notes() const&& = delete;

 private:
  void close() noexcept {
    if (record_ != nullptr) (void)comity_record_close(&record_);
  }

  comity_record* record_ = nullptr;
};

}  // namespace comity
