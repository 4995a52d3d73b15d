/* SPDX-License-Identifier: BSD-3-Clause */
/* What the libraries of these tests offer. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string>

struct Wide;

extern "C" {
void* alpha_malloc(size_t bytes);
void* alpha_calloc(size_t count, size_t each);
void* alpha_realloc(void* block, size_t bytes);
void* alpha_aligned(int way, size_t alignment, size_t bytes);
void alpha_free(void* block);
char* alpha_strdup(const char* text);
char* alpha_printed(const char* text);
void* alpha_map(void* where, size_t bytes, int flags, int file);
int alpha_unmap(void* start, size_t bytes);
void* alpha_remap(void* start, size_t bytes, size_t now_bytes, int flags, void* where);
void* alpha_attach(int id);
int alpha_detach(void* start);
void* alpha_break(intptr_t bytes);
int alpha_break_at(void* end);
char* alpha_static(); /* 96 MiB that the library has without asking for them */
void alpha_register(void* (*map)(size_t));
void* alpha_map_by_registered(size_t bytes);
void* alpha_load(const char* name);
void* alpha_next(const char* name);

void* beta_new(size_t bytes);
void beta_delete(void* block);
Wide* beta_wide(size_t count);
void beta_end_wide(Wide* many);
std::string* beta_string(size_t letters);
void beta_end_string(std::string* text);
}
