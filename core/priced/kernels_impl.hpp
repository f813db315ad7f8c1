// Body of the kernels. Included by one source file per instruction set, which defines STREED_LEVEL (the
// namespace) and STREED_VECTOR_BYTES. Everything here has internal linkage and no standard library template
// is used: a weak symbol compiled for AVX must never be picked by the linker for the baseline.
#include "kernels.hpp"

#if STREED_VECTOR_BYTES > 16
#include <immintrin.h>
#endif

namespace streed::priced {
namespace STREED_LEVEL {
namespace {

constexpr int kVectorBytes = STREED_VECTOR_BYTES;
constexpr int kBlock = 32;  // lanes

template <class T>
struct VectorOf {
    typedef T type __attribute__((vector_size(kVectorBytes), aligned(kVectorBytes), may_alias));
};
template <class T>
using Vec = typename VectorOf<T>::type;
template <class T>
constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));

template <class T>
struct Limit;
template <>
struct Limit<std::int16_t> {
    static constexpr std::int16_t most = 32767;
};
template <>
struct Limit<std::int32_t> {
    static constexpr std::int32_t most = 2147483647;
};
template <>
struct Limit<double> {
    static constexpr double most = 1e300;
};

template <class V>
inline V larger(V a, V b) {
    return a > b ? a : b;
}
template <class V>
inline V smaller(V a, V b) {
    return a < b ? a : b;
}
template <class T>
inline Vec<T> splat(T value) {
    return Vec<T>{} + value;
}
template <class T>
inline Vec<T> load(const T* p) {
    return *reinterpret_cast<const Vec<T>*>(p);
}
template <class T>
inline void store(T* p, Vec<T> v) {
    *reinterpret_cast<Vec<T>*>(p) = v;
}

inline int count_bits(std::uint64_t word) { return __builtin_popcountll(word); }

#include "kernels_select.hpp"

#include "kernels_tile.hpp"

#include "kernels_counts.hpp"  // needs the tiles
#include "kernels_sums.hpp"

template <class T>
void push(const T* shared, const T* with, int n, int side, double own, double unit, double value,
          double* lower0, double* lower1) {
    const double left = value - own * unit;
    for (int f = 0; f < n; ++f) {
        const double both = side == 1 ? static_cast<double>(shared[f])
                                      : static_cast<double>(with[f]) - static_cast<double>(shared[f]);
        const double in1 = left + both * unit, in0 = value - both * unit;
        lower1[f] = in1 > lower1[f] ? in1 : lower1[f];
        lower0[f] = in0 > lower0[f] ? in0 : lower0[f];
    }
}

}  // namespace

extern const Kernels kernels;
const Kernels kernels = {
    STREED_LEVEL_NAME,
    select_rows,
    count_columns,
    count_and,
    {count_pairs<std::int16_t>, count_children<std::int16_t>},
    {count_pairs<std::int32_t>, count_children<std::int32_t>},
    {sum_pairs<std::int32_t>, sum_children<std::int32_t>},
    {sum_pairs<double>, sum_children<double>},
    push<std::int16_t>,
    push<std::int32_t>,
    push<double>,
};

}  // namespace STREED_LEVEL
}  // namespace streed::priced
