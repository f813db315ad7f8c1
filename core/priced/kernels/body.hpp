// Body of the kernels. Included by one source file per instruction set, which defines STREED_LEVEL (the
// namespace) and STREED_VECTOR_BYTES. Everything here has internal linkage and no standard library template
// is used: a weak symbol compiled for AVX must never be picked by the linker for the baseline.
#include "kernels/intrinsics.hpp"
#include "priced/kernels/kernels.hpp"

namespace streed::priced {
namespace STREED_LEVEL {
namespace {

#include "kernels/vectors.hpp"
#include "kernels/words.hpp"
#include "kernels/nibbles.hpp"

constexpr int kBlock = 32;  // lanes

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

template <class T>
inline Vec<T> load(const T* p) {
    return *reinterpret_cast<const Vec<T>*>(p);
}
template <class T>
inline void store(T* p, Vec<T> v) {
    *reinterpret_cast<Vec<T>*>(p) = v;
}

#include "priced/kernels/select.hpp"

#include "priced/kernels/tile.hpp"

#include "priced/kernels/counts.hpp"  // needs the tiles
#include "priced/kernels/planes.hpp"
#include "priced/kernels/sums.hpp"

template <class T>
void parts(const T* difference, const T* total, const T* with_difference, const T* with_total, int n,
           int side, double own_difference, double own_total, double unit, double apart,
           double* const lost[2]) {
    double *const lost0 = lost[0], *const lost1 = lost[1];
    const double half = unit / 2;
    for (int f = 0; f < n; ++f) {
        const double total1 = side == 1 ? total[f] : with_total[f] - total[f],
                     difference1 = side == 1 ? difference[f] : with_difference[f] - difference[f];
        const double total0 = own_total - total1, difference0 = own_difference - difference1;
        const double leaf1 = apart + half * (total1 - __builtin_fabs(difference1)),
                     leaf0 = apart + half * (total0 - __builtin_fabs(difference0));
        lost1[f] = leaf1 < unit * total1 ? leaf1 : unit * total1;
        lost0[f] = leaf0 < unit * total0 ? leaf0 : unit * total0;
    }
}

}  // namespace

extern const Kernels kernels;
const Kernels kernels = {
    STREED_LEVEL_NAME,
    select_rows,
    count_columns,
    hash_columns,
    count_and,
    {count_pairs<std::int16_t>, count_children<std::int16_t>},
    {count_pairs<std::int32_t>, count_children<std::int32_t>},
    {sum_pairs<std::int32_t>, sum_children<std::int32_t>},
    {sum_pairs<double>, sum_children<double>},
    sum_planes,
    parts<std::int16_t>,
    parts<std::int32_t>,
    sum_lanes,
    add_columns,
};

}  // namespace STREED_LEVEL
}  // namespace streed::priced
