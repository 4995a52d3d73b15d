/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of runs, read: library libcomity_record, in a program beside libcomity. What a record holds, and how one is made:
 * docs/record.md.
 *
 * The conventions are those of comity.h, but for these
 *  - It needs no MPI, no context and no running job. Nothing is written, but where COMITY_RECORD_RECOVER asks for it.
 *  - Structs and what they point to belong to the library and are constant. Those of a job live until its record is closed,
 *    those of a rank until it is released: also when the record has been closed before. They are not looked at afterwards.
 *  - Counts are never below 0; where one is 0 its pointer may be null. Texts end at their first byte of zero and are never null.
 *  - Times are nanoseconds of the clock of the rank's node; comity_record_time brings them onto that of rank 0.
 */
#ifndef COMITY_RECORD_H
#define COMITY_RECORD_H

#include <stdint.h>

#include <comity/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A record that is open. Since: 0.1. */
typedef struct comity_record comity_record;

/** What is opened that is not as the end of a run leaves it. Since: 0.1. */
typedef enum comity_record_how {
  COMITY_RECORD_WHOLE = 0,   /**< nothing */
  COMITY_RECORD_SALVAGE = 1, /**< also a file whose index is cut off or damaged: the ranks that are found without it */
  COMITY_RECORD_RECOVER = 2  /**< that, and a folder of a job that was killed: its files become run.comity first */
} comity_record_how;

/** What of a rank is loaded. Since: 0.1. */
typedef enum comity_record_parts {
  COMITY_RECORD_ALL = 0,  /**< everything */
  COMITY_RECORD_FIXED = 1 /**< facts and tables; what happened over time, most of the bytes, is passed over */
} comity_record_parts;

/** How a rank's record ended. Since: 0.1. */
typedef enum comity_record_end {
  COMITY_RECORD_ENDED = 0,       /**< the rank closed it */
  COMITY_RECORD_DID_NOT_END = 1, /**< the rank was killed; all that it had recorded is there */
  COMITY_RECORD_DAMAGED = 2      /**< its file was damaged when it was merged; what stood before the damage is there */
} comity_record_end;

/** What a column holds. Since: 0.1. */
typedef enum comity_record_kind {
  COMITY_RECORD_TEXT = 0,    /**< texts; those of a row are its key */
  COMITY_RECORD_INTEGER = 1, /**< int64_t */
  COMITY_RECORD_REAL = 2     /**< double */
} comity_record_kind;

/** A rank that left a record. Since: 0.1. */
typedef struct comity_record_entry {
  int32_t rank;           /**< of the job */
  int32_t node;           /**< number of its node in the job */
  int32_t end;            /**< [enum comity_record_end] */
  int64_t opened_ns;      /**< when its record began, on its own clock */
  int64_t opened_wall_ns; /**< the same moment since 1970, UTC */
} comity_record_entry;

/** What a record tells of the job. Since: 0.1. */
typedef struct comity_record_job {
  const char* path;    /**< the file that is read */
  const char* name;    /**< of the job */
  int32_t job_ranks;   /**< that the job had; after a salvage as many as the highest that was found tells */
  int32_t entry_count; /**< [ranks] that left a record */
  const comity_record_entry* entries; /**< by rank, each once */
  int32_t note_count;                 /**< [sentences] */
  const char* const* notes;           /**< what went wrong with a rank's record, or could not be reached */
  const char* index_damage; /**< why the index was not read and the ranks are those found without it; "": it was */
} comity_record_job;

/** A fact: host, program, settings. Since: 0.1. */
typedef struct comity_record_fact {
  const char* key;
  const char* value;
} comity_record_fact;

/** A column of a table: as many values as the table has rows, in the array of its kind; the other two are null. Since: 0.1. */
typedef struct comity_record_column {
  const char* name;         /**< a number's holds its unit, as wait_ns */
  int32_t kind;             /**< [enum comity_record_kind] */
  const char* const* texts; /**< [rows] */
  const int64_t* integers;  /**< [rows] */
  const double* reals;      /**< [rows] */
} comity_record_column;

/** A table. Since: 0.1. */
typedef struct comity_record_table {
  const char* name;
  int64_t rows;
  int64_t column_count;
  const comity_record_column* columns;
} comity_record_table;

/** A sample of a value, or several neighbours that were merged for want of room. Since: 0.1. */
typedef struct comity_record_sample {
  int64_t first_ns; /**< time of the first of them */
  int64_t last_ns;  /**< of the last */
  double minimum;   /**< of their values */
  double maximum;
  double last;
  int64_t count; /**< [samples] */
} comity_record_sample;

/** A value over time. Since: 0.1. */
typedef struct comity_record_series {
  const char* name;
  int64_t sample_count;
  const comity_record_sample* samples; /**< by time */
} comity_record_series;

/** Something that lasted, or several neighbours that were merged for want of room. Since: 0.1. */
typedef struct comity_record_span {
  int64_t first_ns;    /**< the earliest begin */
  int64_t last_ns;     /**< the latest end */
  int64_t shortest_ns; /**< of their durations */
  int64_t longest_ns;
  int64_t sum_ns;
  int64_t count; /**< [spans] */
} comity_record_span;

/** What happened again and again under one name, such as a region of a thread. Since: 0.1. */
typedef struct comity_record_spans {
  const char* lane; /**< such as a thread */
  const char* name;
  int64_t span_count;
  const comity_record_span* spans; /**< in the order of their ends */
} comity_record_spans;

/** What a rank recorded. Since: 0.1. */
typedef struct comity_record_rank {
  comity_record_entry entry;
  int32_t is_damaged;     /**< 1: the merged file was changed or cut off, and a part of this rank is missing; else 0 */
  int64_t clock_error_ns; /**< how far off comity_record_time is, with the limits told there; -1: nobody knows */
  int64_t fact_count;
  const comity_record_fact* facts; /**< by key */
  int64_t table_count;
  const comity_record_table* tables; /**< by name */
  int64_t series_count;
  const comity_record_series* series;
  int64_t spans_count;
  const comity_record_spans* spans;
} comity_record_rank;

/** Open a record. Its index alone is read: milliseconds for thousands of ranks.
 *  @param path [string, in] the folder that was given to `comity run --record`, or a merged file, as run.comity in it. A link to the
 *  folder is followed, one to the file is not.
 *  @param how [enum comity_record_how] what is opened that is not whole.
 *  @param record [handle, out].
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null, no such `how`, or the file is no record or is damaged; COMITY_ERR_NOT_FOUND: there is no
 *  such path, or no record in the folder; COMITY_ERR_ORDER: to be recovered, but its job still runs; COMITY_ERR_VERSION: a newer
 *  Comity wrote it; COMITY_ERR_UNSUPPORTED: a machine of another byte order did; COMITY_ERR_SYSTEM: it is a link to a file, or to
 *  nothing, or the kernel refuses; COMITY_ERR_MEMORY.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: a descriptor, until comity_record_close. Since: 0.1.
 *  Source: DESIGN, records. */
COMITY_EXPORT comity_status comity_record_open(const char* path, comity_record_how how, comity_record** record);

/** Close a record. Ranks that were loaded from it stay.
 *  @param record [handle, in and out] null afterwards.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_record_close(comity_record** record);

/** What the record tells of its job, and which ranks it has.
 *  @param record [handle].   @param job [struct, out] lives until the record is closed.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_record_describe(const comity_record* record, const comity_record_job** job);

/** Read what a rank recorded. Several threads may load from one record at once, also while another closes it.
 *  @param record [handle].   @param rank [rank] of the job, one of the entries.
 *  @param parts [enum comity_record_parts] what of it.   @param loaded [struct, out] lives until comity_record_release.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null, or no such `parts`; COMITY_ERR_HANDLE; COMITY_ERR_NOT_FOUND: that rank left
 *  no record; COMITY_ERR_SYSTEM: the file cannot be read; COMITY_ERR_MEMORY.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: what it has read, until comity_record_release. Since: 0.1.
 *  Source: none. */
COMITY_EXPORT comity_status comity_record_load(const comity_record* record, int32_t rank, comity_record_parts parts,
                                               const comity_record_rank** loaded);

/** Free a loaded rank.
 *  @param loaded [struct, in and out] null afterwards.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE: no rank that is loaded.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_record_release(const comity_record_rank** loaded);

/** A time of a rank on the clock of rank 0, which puts what happened on several hosts in one order. Clocks that were not
 *  compared are taken as one. It is off by clock_error_ns at the most between their comparisons, at the run's begin and end,
 *  if they drift evenly. Outside, their drift is added to that: for a rank that was killed, from its begin on.
 *  @param loaded [struct] a loaded rank.   @param time_ns [ns] of that rank.   @param on_rank_0_ns [ns, out].
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_HANDLE: no rank that is loaded.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_record_time(const comity_record_rank* loaded, int64_t time_ns,
                                               int64_t* on_rank_0_ns);

#ifdef __cplusplus
}
#endif
#endif
