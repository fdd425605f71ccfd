#pragma once
#include <zint.h>

// `encoded_data` is an array of 200 × 144 bytes, which Swift would read as a tuple of 28,800 elements.
static inline int czint_module_is_dark(const struct zint_symbol *symbol, int row, int column) {
  return (symbol->encoded_data[row][column >> 3] >> (column & 7)) & 1;
}
