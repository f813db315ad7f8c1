// The kernels of the search for priced nodes, for AVX-512 without counts of bits (Skylake, Cascade Lake).
#define STREED_LEVEL avx512bw
#define STREED_LEVEL_NAME "avx512bw"
#define STREED_VECTOR_BYTES 64
#include "priced/kernels/body.hpp"
