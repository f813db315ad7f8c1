// The kernels of the search by depth, compiled for any machine of the architecture.
#define STREED_LEVEL baseline
#define STREED_LEVEL_NAME "baseline"
#define STREED_VECTOR_BYTES 16
#include "kernels/body.hpp"
