#define STREED_LEVEL baseline
#define STREED_LEVEL_NAME "baseline"
#define STREED_VECTOR_BYTES 16
#include "thresholds/kernels/body.hpp"
