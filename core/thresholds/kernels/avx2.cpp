// The kernels of the search over thresholds, compiled for AVX2.
#define STREED_LEVEL avx2
#define STREED_LEVEL_NAME "avx2"
#define STREED_VECTOR_BYTES 32
#include "thresholds/kernels/body.hpp"
