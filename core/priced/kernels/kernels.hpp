// What is compiled once per instruction set. Lanes are features; every array of lanes is padded to a multiple
// of 32 and aligned.
#pragma once

#include <cstdint>
#include <string>

namespace streed::priced {

// Counted rows of a node.
struct CountFrame {
    const std::uint64_t* bits =
        nullptr;  // [word][stride], the words of the first label before those of the second
    int stride = 0;
    int n_features = 0;
    int n[2] = {0, 0};
    void* chunks = nullptr;  // scratch: room for the bits three times
};

// Rows with values of a node.
struct SumFrame {
    const std::uint64_t* bits = nullptr;
    int stride = 0;
    int n_features = 0;
    int n_rows = 0;
    int n_values = 0;                // costs under the labels, then the weight
    const double* values = nullptr;  // [row][n_values]
    void* scratch = nullptr;
};

// The same rows as planes of bits: a plane has the rows in one of whose values the bit `shift` is set, moved
// together. Values are the weight, and how much less than it each label costs.
struct Plane {
    int shift = 0;
    int n = 0;  // rows
};
struct PlaneFrame {
    const std::uint64_t* bits = nullptr;  // [word][stride], plane after plane
    int stride = 0;
    int n_features = 0;
    int n_values = 0;
    const Plane* planes = nullptr;
    const int* end = nullptr;  // [value]: its planes end here; the weight is first
    void* chunks = nullptr;    // scratch: room for the bits twice
};

// Pair tables of a node with numbers of type T: [feature][stride].
template <class T>
struct CountKernels {
    // For each pair the rows of the first label less those of the second, and all rows.
    void (*pairs)(const CountFrame& frame, T* difference, T* total);
    // Per feature and side: max over splits of |first| + |second| of their differences, and twice the least
    // error of a cell of a split both of whose cells have at least `support` rows of one label (the largest
    // number if there is none).
    void (*children)(const CountFrame& frame, const T* difference, const T* total, T support, bool peel,
                     T* const best[2], T* const cell[2]);
};

template <class T>
struct SumKernels {
    // [value][feature][stride]: sums over the rows that have both features.
    void (*pairs)(const SumFrame& frame, T* sums);
    // Per feature and side: the least cost of a single split, and the least cost of a cell of a split both of
    // whose cells can gain `support` on their worst label (the largest number if there is none).
    void (*children)(const SumFrame& frame, const T* sums, const T* all, T support, T* const best[2],
                     T* const cell[2]);
};

// What rows on side `side` of a feature g are worth at most, for all f: lost[u][f] of those on side u of f,
// in ticks. They cost their number, or a split and a leaf of their own, whichever is less (`apart`: infinity
// if the latter is not to be used, else the price of the split). `difference` and `total` are the rows of g
// in the pair table, `with_*` its diagonal, `own_*` the sums of all rows on the side of g.
template <class T>
using PartsKernel = void (*)(const T* difference, const T* total, const T* with_difference,
                             const T* with_total, int n, int side, double own_difference, double own_total,
                             double unit, double apart, double* const lost[2]);

struct Kernels {
    const char* name;
    // Rows of one block that are in `mask`, moved together; the features in the lanes `keep` (null: all).
    void (*select_rows)(const std::uint64_t* in, int in_stride, int words, const std::uint64_t* mask,
                        const std::int32_t* keep, int n, std::uint64_t* out, int out_stride);
    // Adds the number of set bits of every lane.
    void (*count_columns)(const std::uint64_t* bits, int stride, int words, int n, std::int32_t* counts);
    // A hash of every lane, the same for a column and its complement; `valid` are the rows of each word.
    void (*hash_columns)(const std::uint64_t* bits, int stride, int words, int n, const std::uint64_t* valid,
                         std::uint64_t* hashes);
    // Set bits of the words that both have.
    int (*count_and)(const std::uint64_t* a, const std::uint64_t* b, int words);
    CountKernels<std::int16_t> count16;
    CountKernels<std::int32_t> count32;
    SumKernels<std::int32_t> sum32;
    SumKernels<double> sum64;
    // As sum32.pairs: the costs under the labels, then the weight.
    void (*sum_planes)(const PlaneFrame& frame, std::int32_t* sums);
    PartsKernel<std::int16_t> parts16;
    PartsKernel<std::int32_t> parts32;
    // Of chosen rows, whose features lie as [row][block] of 32 bits: the weights of those with each feature,
    // for 32 features per block; returns the weight of all.
    std::int32_t (*sum_lanes)(const std::uint32_t* lanes, int blocks, const std::uint32_t* rows, int n,
                              const std::int32_t* weights, std::int32_t* sums);
    // Adds the values of the rows of one block of bits that have each feature.
    void (*add_columns)(const std::uint64_t* bits, int stride, int n_rows, int n_features,
                        const double* values, double* sums);
};

// The kernels of a level by name, "auto" for the best one; std::invalid_argument if the machine lacks it.
const Kernels& select_kernels(const std::string& level);

namespace baseline {
extern const Kernels kernels;
}
namespace avx2 {
extern const Kernels kernels;
}
namespace avx512bw {
extern const Kernels kernels;
}
namespace avx512 {
extern const Kernels kernels;
}

}  // namespace streed::priced
