#pragma once
#include <alsa/asoundlib.h>

// A handler of errors is variadic, which a Swift closure cannot be. Without one, the library writes to standard error.
static inline void calsa_say_nothing(const char *file, int line, const char *function, int code, const char *format, ...) {
  (void)file, (void)line, (void)function, (void)code, (void)format;
}

static inline void calsa_be_quiet(void) { snd_lib_error_set_handler(calsa_say_nothing); }
