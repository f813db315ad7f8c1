// The intrinsics of the instruction set that a file of kernels is compiled for; included outside of all
// namespaces.
#if STREED_VECTOR_BYTES > 16
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // undefined vectors of GCC's own header (its bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#include <immintrin.h>
#endif
#endif
