// The kernels of the search for priced nodes, compiled for AVX2.
#define STREED_LEVEL avx2
#define STREED_LEVEL_NAME "avx2"
#define STREED_VECTOR_BYTES 32
#include "priced/kernels/body.hpp"
