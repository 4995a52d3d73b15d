/* SPDX-License-Identifier: BSD-3-Clause */
/* Memories, caches, kinds of cores, devices: on the described machine that the first word names, or with "real" on this
 * one, of which only is known what must hold everywhere. */
#include "expect.h"

static void expect_text(const char* what, const char* got, const char* expected) {
  if (strcmp(got, expected) == 0) return;
  ++failures;
  printf("FAIL: %s: \"%s\", expected \"%s\"\n", what, got, expected);
}

static void expect_set(const char* what, const comity_cpuset* set, const char* list) {
  char text[256];
  expect_status(what, comity_cpuset_string(set, COMITY_FORM_LIST, text, sizeof(text), NULL), COMITY_OK);
  expect_text(what, text, list);
}

static long device_count(comity_context* context, comity_device_kind kind) {
  int32_t count = -1;
  expect_status("device_count", comity_context_device_count(context, kind, &count), COMITY_OK);
  return count;
}

static void gpu_node(comity_context* context) {
  comity_device device;
  int32_t devices[4] = {-1, -1, -1, -1};
  int32_t count = -1;
  uint64_t bytes = 0;
  comity_memory_kind kind = COMITY_MEMORY_NVM;
  expect_int("GPUs", device_count(context, COMITY_GPU), 4);
  expect_int("NICs", device_count(context, COMITY_NIC), 2);
  expect_status("GPU 2", comity_context_device(context, COMITY_GPU, 2, &device), COMITY_OK);
  expect_text("name", device.name, "cuda2");
  expect_text("other names", device.other_names, "nvml2,card3,renderD130");
  expect_text("PCI", device.pci, "0000:af:00.0");
  expect_text("vendor", device.vendor, "NVIDIA Corporation");
  expect_text("model", device.model, "NVIDIA A100-SXM4-40GB");
  expect_text("id", device.unique_id, "GPU-0000-3");
  expect_int("vendor's number", device.vendor_id, 0x10de);
  expect_int("device's number", device.device_id, 0x20b0);
  expect_int("package", device.package, 1);
  expect_int("NUMA node", device.numa, 1);
  expect_set("PUs near it", &device.cpuset, "16-31");
  expect_status("near core 3", comity_context_devices_near(context, COMITY_GPU, COMITY_CORE, 3, devices, 4, &count),
                COMITY_OK);
  expect_int("GPUs near core 3", count, 2);
  expect_int("the first", devices[0], 0);
  expect_int("the second", devices[1], 1);
  expect_status("only the count", comity_context_devices_near(context, COMITY_NIC, COMITY_MACHINE, 0, NULL, 0, &count),
                COMITY_OK);
  expect_int("NICs of the machine", count, 2);
  expect_failure("too little room",
                 comity_context_devices_near(context, COMITY_GPU, COMITY_MACHINE, 0, devices, 3, &count),
                 COMITY_ERR_RANGE, "there are 4, and room for 3");
  expect_int("needed room", count, 4);
  expect_failure("GPU 4", comity_context_device(context, COMITY_GPU, 4, &device), COMITY_ERR_RANGE, "has 4");
  expect_failure("kind 7", comity_context_device(context, (comity_device_kind)7, 0, &device), COMITY_ERR_ARGUMENT,
                 "kind of device 7");
  expect_failure("null", comity_context_device(context, COMITY_NIC, 0, NULL), COMITY_ERR_ARGUMENT, "device");
  expect_status("memory", comity_context_memory(context, 1, &bytes, &kind), COMITY_OK);
  expect_int("GiB", (long)(bytes >> 30), 256);
  expect_int("kind", kind, COMITY_MEMORY_DRAM);
  expect_status("nothing asked", comity_context_memory(context, 0, NULL, NULL), COMITY_OK);
  expect_failure("node 2", comity_context_memory(context, 2, &bytes, &kind), COMITY_ERR_RANGE, "has 2");
  expect_status("L3", comity_context_cache_bytes(context, COMITY_L3, 7, &bytes), COMITY_OK);
  expect_int("MiB", (long)(bytes >> 20), 32);
  expect_failure("no cache", comity_context_cache_bytes(context, COMITY_CORE, 0, &bytes), COMITY_ERR_ARGUMENT,
                 "no cache");
}

static void hybrid(comity_context* context) {
  comity_core_kind kind;
  comity_cpuset set;
  int32_t index = -1;
  int32_t covers = -1;
  expect_status("core kinds", comity_context_core_kind_count(context, &index), COMITY_OK);
  expect_int("core kinds", index, 2);
  expect_status("kind 1", comity_context_core_kind(context, 1, &kind), COMITY_OK);
  expect_text("name", kind.name, "IntelCore");
  expect_int("efficiency", kind.efficiency, 1);
  expect_int("MHz", (long)kind.max_mhz, 4900);
  expect_set("its PUs", &kind.cpuset, "0-3");
  expect_failure("kind 2", comity_context_core_kind(context, 2, &kind), COMITY_ERR_RANGE, "has 2");
  expect_failure("no GPU", comity_context_device(context, COMITY_GPU, 0, NULL), COMITY_ERR_NOT_FOUND, "no gpu");
  expect_status("parse", comity_cpuset_parse("2-3", &set), COMITY_OK);
  expect_status("closest", comity_context_closest(context, COMITY_CORE, &set, &index, &covers), COMITY_OK);
  expect_int("core", index, 1);
  expect_int("covers", covers, 1);
  expect_status("parse", comity_cpuset_parse("3,4", &set), COMITY_OK);
  expect_status("closest", comity_context_closest(context, COMITY_CORE, &set, &index, NULL), COMITY_OK);
  expect_int("lowest of equals", index, 1);
  expect_status("covers", comity_context_closest(context, COMITY_CORE, &set, &index, &covers), COMITY_OK);
  expect_int("covers not", covers, 0);
  expect_status("parse", comity_cpuset_parse("5", &set), COMITY_OK);
  expect_failure("no such PU", comity_context_closest(context, COMITY_CORE, &set, &index, &covers),
                 COMITY_ERR_NOT_FOUND, "none shares");
}

static void real(comity_context* context) {
  comity_device device;
  int32_t machines = -1;
  for (int kind = COMITY_GPU; kind <= COMITY_NIC; ++kind) {
    const long count = device_count(context, (comity_device_kind)kind);
    printf("kind %d: %ld devices\n", kind, count);
    for (int32_t i = 0; i < count; ++i) {
      expect_status("device", comity_context_device(context, (comity_device_kind)kind, i, &device), COMITY_OK);
      printf("  %s at %s: %s\n", device.name, device.pci, device.model);
      expect_int("has a name", device.name[0] != '\0', 1);
    }
  }
  expect_status("count", comity_context_count(context, COMITY_MACHINE, &machines), COMITY_OK);
  expect_int("the same machine as before", machines, 1);
}

int main(int argc, char** argv) {
  comity_context* context = NULL;
  const char* machine = argc > 1 ? argv[1] : "";
  expect_status("create", comity_context_create_local(&context), COMITY_OK);
  if (context == NULL) return finish();
  if (strcmp(machine, "gpu-node") == 0) gpu_node(context);
  if (strcmp(machine, "hybrid") == 0) hybrid(context);
  if (strcmp(machine, "real") == 0) real(context);
  expect_status("free", comity_context_free(&context), COMITY_OK);
  expect_failure("freed", comity_context_device_count(context, COMITY_GPU, NULL), COMITY_ERR_ARGUMENT, "null");
  return finish();
}
