// The kernels of the search by depth, compiled for AVX2.
#define STREED_LEVEL avx2
#define STREED_LEVEL_NAME "avx2"
#define STREED_VECTOR_BYTES 32
#include "kernels/body.hpp"
