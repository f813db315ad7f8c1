#define STREED_LEVEL avx512bw
#define STREED_LEVEL_NAME "avx512bw"
#define STREED_VECTOR_BYTES 64
#include "priced/kernels/body.hpp"
