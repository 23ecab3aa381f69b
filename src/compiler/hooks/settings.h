/* Environment variables that transformed programs read. What is not understood is said once, by rank 0, in the words of all
 * of tacit's settings (src/vocabulary/calls/settings.def, which the hooks cannot include: they are C and link nothing). */
#ifndef TACIT_HOOKS_SETTINGS_H
#define TACIT_HOOKS_SETTINGS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "512", "64k", "4M" or "1G"; `normal` without the variable, and for what is no such number. */
size_t tacit_size_setting(const char* variable, size_t normal, const char* expected);
/* A number in digits alone, from 1 on; `normal` without the variable, and for what is no such number. */
size_t tacit_count_setting(const char* variable, size_t normal, const char* expected);
/* "0" or "1"; 0 without the variable, and for anything else. */
int tacit_switch_setting(const char* variable);
/* Which of the words it is; `normal` without the variable, and for anything else. */
int tacit_word_setting(const char* variable, const char* const* words, int count, int normal,
                       const char* expected);

#ifdef __cplusplus
}
#endif

#endif
