/* SPDX-License-Identifier: BSD-3-Clause */
/* A reader of records in C: how many calls all ranks of a job counted. */
#include <comity/record.h>

#include <string.h>

int64_t calls_counted_in_c(const char* folder);

static int64_t sum(const comity_record_table* table, const char* column) {
  int64_t all = 0;
  for (int64_t i = 0; i < table->column_count; ++i) {
    const comity_record_column* const one = &table->columns[i];
    if (one->kind != COMITY_RECORD_INTEGER || strcmp(one->name, column) != 0) continue;
    for (int64_t row = 0; row < table->rows; ++row) all += one->integers[row];
  }
  return all;
}

static int64_t calls_of(const comity_record_rank* rank) {
  int64_t all = 0;
  for (int64_t i = 0; i < rank->table_count; ++i) {
    if (strcmp(rank->tables[i].name, "calls") == 0) all += sum(&rank->tables[i], "count");
  }
  return all;
}

static comity_status add_ranks(const comity_record* record, int64_t* calls) {
  const comity_record_job* job = NULL;
  comity_status status = comity_record_describe(record, &job);
  for (int32_t i = 0; status == COMITY_OK && i < job->entry_count; ++i) {
    const comity_record_rank* rank = NULL;
    status = comity_record_load(record, job->entries[i].rank, COMITY_RECORD_FIXED, &rank);
    if (status != COMITY_OK) return status;
    *calls += calls_of(rank);
    status = comity_record_release(&rank);
  }
  return status;
}

/* Below 0: the code of what failed. */
int64_t calls_counted_in_c(const char* folder) {
  comity_record* record = NULL;
  int64_t calls = 0;
  const comity_status opened = comity_record_open(folder, COMITY_RECORD_RECOVER, &record);
  if (opened != COMITY_OK) return -(int64_t)opened;
  const comity_status added = add_ranks(record, &calls);
  const comity_status closed = comity_record_close(&record);
  if (added != COMITY_OK || closed != COMITY_OK) return -(int64_t)(added != COMITY_OK ? added : closed);
  return calls;
}
