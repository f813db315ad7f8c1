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

// How set bits of vectors are counted: by instructions for it (STREED_BIT_COUNTS), or four rows at a time by
// a byte shuffle (STREED_NIBBLES, kernels/nibbles.hpp); with neither of them by shifts and masks.
#if defined(__AVX512BITALG__)
#define STREED_BIT_COUNTS
#elif STREED_VECTOR_BYTES > 16
#define STREED_NIBBLES
#endif

// Two vectors interleaved by constant positions; the compilers spell it differently.
#if defined(__clang__)
#define STREED_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define STREED_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, decltype(a){__VA_ARGS__})
#endif
