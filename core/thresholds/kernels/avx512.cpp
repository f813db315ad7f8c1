// The kernels of the search over thresholds, compiled for AVX-512 with counts of bits.
#define STREED_LEVEL avx512
#define STREED_LEVEL_NAME "avx512"
#define STREED_VECTOR_BYTES 64
#include "thresholds/kernels/body.hpp"
