/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of hardware objects, memories, devices and cores, and what this node has of them beyond the counts and PUs of
 * context.h. Conventions of all C headers: see comity.h. */
#ifndef COMITY_MACHINE_H
#define COMITY_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include <comity/cpuset.h>
#include <comity/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A kind of hardware object. Objects of a kind are numbered 0 .. count-1 in logical (hwloc) order. Since: 0.1. */
typedef enum comity_type {
  COMITY_MACHINE = 0, /**< the node: always exactly one */
  COMITY_PACKAGE = 1, /**< a socket */
  COMITY_NUMA = 2,    /**< a NUMA node: at least one */
  COMITY_L3 = 3,      /**< a level-3 cache with the PUs that share it */
  COMITY_L2 = 4,
  COMITY_L1 = 5,
  COMITY_CORE = 6,
  COMITY_PU = 7 /**< a hardware thread; a hart of Comity */
} comity_type;

/** What the memory of a NUMA node is. Since: 0.1. */
typedef enum comity_memory_kind {
  COMITY_MEMORY_DRAM = 0,     /**< ordinary memory; also where the system does not tell */
  COMITY_MEMORY_HBM = 1,      /**< high-bandwidth memory, such as MCDRAM */
  COMITY_MEMORY_EXPANDER = 2, /**< memory that no PU is near to, such as a CXL expander */
  COMITY_MEMORY_GPU = 3,      /**< memory of a GPU that is a NUMA node */
  COMITY_MEMORY_NVM = 4       /**< non-volatile memory used as memory */
} comity_memory_kind;

/** A kind of device. Devices of a kind are numbered 0 .. count-1 by their PCI addresses, those on no PCI bus last.
 *  Since: 0.1. */
typedef enum comity_device_kind {
  COMITY_GPU = 0, /**< a GPU or another accelerator */
  COMITY_NIC = 1  /**< a network interface */
} comity_device_kind;

/** One device: what hwloc knows of it. Texts end with a zero byte, are printable ASCII, and are "" where not told; longer
 *  ones are cut. Since: 0.1. */
typedef struct comity_device {
  char name[32];         /**< as programs call it: "cuda0", "ib0"; without any name the PCI address */
  char other_names[104]; /**< further names of the same device: "card1,renderD128" */
  char vendor[64];       /**< who made it */
  char model[96];        /**< what it is */
  char unique_id[48];    /**< UUID of a GPU, GUID or hardware address of a NIC */
  char pci[16];          /**< "0000:3b:00.0"; "" for a device on no PCI bus */
  uint16_t vendor_id;    /**< [PCI id] 0 where not told */
  uint16_t device_id;    /**< [PCI id] 0 where not told */
  int32_t package;       /**< [index] the package that it is at; -1: none, or not one alone */
  int32_t numa;          /**< [index] the NUMA node that it is at; -1: none, or not one alone */
  comity_cpuset cpuset;  /**< [PUs] near it: all of the machine where nobody knows, empty where the job may use none */
} comity_device;

/** Cores that are alike, on a machine with several kinds or one. Since: 0.1. */
typedef struct comity_core_kind {
  char name[24];        /**< "IntelAtom"; "" where not told */
  int32_t efficiency;   /**< [rank] 0: of the least performance, saving most power; -1 where not told */
  uint32_t max_mhz;     /**< [MHz] highest frequency, 0 where not told */
  comity_cpuset cpuset; /**< [PUs] of all its cores; no PU is of two kinds */
} comity_core_kind;

/** Name of a kind, such as "numa".
 *  @param type [enum] any value.   @return a constant string; "?" for an unknown kind.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT const char* comity_type_name(comity_type type);

/* --- this node's hardware; counts and PUs of its objects: see context.h --------------------------------------------- */

typedef struct comity_context comity_context; /**< see context.h */

/** The object of a kind that a set of PUs belongs to: the smallest that covers the set, the lowest index among equals;
 *  where no single one covers it, the object that shares most PUs with it, again the lowest among equals.
 *  @param context [handle].   @param type [enum].   @param set [PUs, in].   @param index [index, out].
 *  @param covers [0 or 1, out] whether all of the set lies inside the object; may be null.
 *  @return COMITY_OK; COMITY_ERR_NOT_FOUND: no object of the kind shares a PU with the set; COMITY_ERR_HANDLE;
 *  COMITY_ERR_ARGUMENT: null, or no such kind.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_closest(const comity_context* context, comity_type type,
                                                   const comity_cpuset* set, int32_t* index, int32_t* covers);

/** Whose numbers objects go by. Since: 0.1. */
typedef enum comity_numbering {
  COMITY_NUMBERING_LOGICAL = 0, /**< 0 .. count-1, as everywhere else in Comity; hwloc's L# */
  COMITY_NUMBERING_PHYSICAL = 1 /**< the operating system's own, hwloc's P#; those of PUs are what a set holds */
} comity_numbering;

/** A set of PUs as a list of the objects of a kind that it touches: "0-3,8".
 *  @param context [handle].   @param type [enum].   @param numbering [enum].
 *  @param set [PUs, in] may be null: my binding (comity_context_binding).
 *  @param text [string, out] `capacity_bytes` bytes, always ended by a zero byte; null with capacity 0 only asks for the
 *  length.   @param capacity_bytes [bytes] room in `text`.   @param length_bytes [bytes, out] length without the zero byte;
 *  may be null where `text` is not.
 *  @return COMITY_OK; COMITY_ERR_RANGE: the text did not fit (the buffer holds "", the length is set); COMITY_ERR_NOT_FOUND: no
 *  object of the kind here, or a PU of the set is in none; COMITY_ERR_UNSUPPORTED: the objects have no physical numbers, or two
 *  of them the same one; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null, or no such kind or numbering; COMITY_ERR_SYSTEM.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_cpuset_string(const comity_context* context, comity_type type,
                                                         comity_numbering numbering, const comity_cpuset* set,
                                                         char* text, size_t capacity_bytes, size_t* length_bytes);

/** The PUs of a list of objects: the way back.
 *  @param context [handle].   @param type [enum].   @param numbering [enum].   @param text [string, in] "0-3,8"; "" is the
 *  empty set.   @param set [PUs, out] untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_RANGE: a number that no object of the kind has; COMITY_ERR_NOT_FOUND: no object of the kind
 *  here; COMITY_ERR_UNSUPPORTED: as in comity_context_cpuset_string; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null, no such kind
 *  or numbering, or broken text (the sentence names the character).
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_cpuset_parse(const comity_context* context, comity_type type,
                                                        comity_numbering numbering, const char* text,
                                                        comity_cpuset* set);

/** The size of a cache.
 *  @param context [handle].   @param type [enum] COMITY_L1, COMITY_L2 or COMITY_L3.   @param index [index] 0 ..
 *  count(type)-1.   @param size_bytes [bytes, out] 0 where the system does not tell.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null, or no cache; COMITY_ERR_RANGE: index;
 *  COMITY_ERR_NOT_FOUND: the machine has no such cache.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_cache_bytes(const comity_context* context, comity_type type, int32_t index,
                                                       uint64_t* size_bytes);

/** The memory of a NUMA node.
 *  @param context [handle].   @param numa [index] 0 .. count(COMITY_NUMA)-1.   @param size_bytes [bytes, out] 0 where the
 *  system does not tell; may be null.   @param kind [enum, out] may be null.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: the context is null; COMITY_ERR_RANGE: numa.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_memory(const comity_context* context, int32_t numa, uint64_t* size_bytes,
                                                  comity_memory_kind* kind);

/** How many kinds of cores this node has.
 *  @param context [handle].   @param count [kinds, out] 1 where all are alike, 0 where the system does not tell.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_core_kind_count(const comity_context* context, int32_t* count);

/** One kind of cores; they stand in the order of their efficiency, the fastest last.
 *  @param context [handle].   @param index [index] 0 .. count-1.   @param kind [kind, out] untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null; COMITY_ERR_RANGE: index; COMITY_ERR_NOT_FOUND: the
 *  system tells no kinds.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_core_kind(const comity_context* context, int32_t index,
                                                     comity_core_kind* kind);

/* --- devices ------------------------------------------------------------------------------------------------------- */

/* Devices of the real machine are looked for when a process first asks for any, which takes some tens of milliseconds;
 * those of a recorded machine are known from the start. */

/** How many devices of a kind this node has.
 *  @param context [handle].   @param kind [enum].   @param count [devices, out].
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null, or no such kind; COMITY_ERR_TOPOLOGY: hwloc failed.
 *  Call from: any thread. Blocks: while devices are looked for. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_device_count(const comity_context* context, comity_device_kind kind,
                                                        int32_t* count);

/** One device.
 *  @param context [handle].   @param kind [enum].   @param index [index] 0 .. count-1.   @param device [device, out]
 *  untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null, or no such kind; COMITY_ERR_RANGE: index;
 *  COMITY_ERR_NOT_FOUND: no device of the kind; COMITY_ERR_TOPOLOGY: hwloc failed.
 *  Call from: any thread. Blocks: while devices are looked for. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_device(const comity_context* context, comity_device_kind kind, int32_t index,
                                                  comity_device* device);

/** The devices near an object: those that share a PU with it, and for a NUMA node also those that are at it.
 *  @param context [handle].   @param kind [enum].   @param type [enum] of the object.   @param index [index] of the
 *  object, 0 .. count(type)-1.   @param devices [indices, out] ascending, `capacity` of them at most; null with capacity
 *  0 only counts.   @param capacity [indices] room in `devices`.   @param count [devices, out] how many there are.
 *  @return COMITY_OK; COMITY_ERR_RANGE: index, or too little room (count is set); COMITY_ERR_NOT_FOUND: no such object
 *  here; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null, or no such kind; COMITY_ERR_TOPOLOGY: hwloc failed.
 *  Call from: any thread. Blocks: while devices are looked for. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_devices_near(const comity_context* context, comity_device_kind kind,
                                                        comity_type type, int32_t index, int32_t* devices,
                                                        int32_t capacity, int32_t* count);

#ifdef __cplusplus
}
#endif
#endif
