// Body of the kernels over lanes of root splits. Included by one source file per instruction set, which
// defines STREED_LEVEL (the namespace) and STREED_VECTOR_BYTES.
//
// A tree with two levels needs, for every root split, the best split of both its sides. Lanes are root
// splits: each row has one bit per lane, set if the row lies on the lower side. The order of every column is
// walked once; a row adds its value to the sums of the sides where it lies. So one walk over all columns
// gives the best second split for both sides of 16 to 64 root splits, in O(rows x columns) and without a
// table of pairs of thresholds, which would be quadratic.
#include "kernels/intrinsics.hpp"
#include "thresholds/kernels/kernels.hpp"

namespace streed::thresholds {
namespace STREED_LEVEL {
namespace {

#include "kernels/vectors.hpp"
#include "thresholds/kernels/lanes.hpp"

template <class Entry>
struct Half {
    using type = std::int16_t;
};
template <>
struct Half<std::uint64_t> {
    using type = std::int32_t;
};
template <class Entry>
constexpr int kHalf = 4 * static_cast<int>(sizeof(Entry));
template <class Entry>
constexpr Entry kEnd = Entry{1} << (2 * kHalf<Entry> - 1);
template <class Entry>
constexpr Entry kTurn = Entry{1} << (kHalf<Entry> - 1);
template <class Entry>
inline std::uint32_t row_of(Entry entry) {
    return static_cast<std::uint32_t>(entry & (kTurn<Entry> - 1));
}

// The bits of all rows: a lane compares the ranks of its column, 16 lanes gather their bits in vectors as
// wide as ranks.
template <class Entry, int Lanes>
void pack_of(const NodeView& node, const Lane* lanes, int n, Word<Lanes>* words) {
    using R = typename Half<Entry>::type;
    constexpr int kRows = kLanes<R>, kBits = 8 * static_cast<int>(sizeof(R)),
                  kParts = (Lanes + kBits - 1) / kBits;
    const R* ranks = static_cast<const R*>(node.ranks);
    for (int row = 0; row < node.n_rows; row += kRows) {
        alignas(64) R bits[kParts][kRows];
        for (int part = 0; part < kParts; ++part) {
            Vec<R> sum{};
            const int end = n < (part + 1) * kBits ? n : (part + 1) * kBits;
            for (int l = part * kBits; l < end; ++l) {
                Vec<R> rank;
                __builtin_memcpy(
                    &rank,
                    ranks +
                        static_cast<std::size_t>(lanes[l].column) * static_cast<std::size_t>(node.stride) +
                        row,
                    sizeof rank);
                const R bit = static_cast<R>(1ull << (l - part * kBits));
                sum |= (Vec<R>)(rank < splat<R>(static_cast<R>(lanes[l].rank))) & splat<R>(bit);
            }
            *reinterpret_cast<Vec<R>*>(bits[part]) = sum;
        }
        for (int k = 0; k < kRows; ++k) {
            Word<Lanes> word = 0;
            for (int part = 0; part < kParts; ++part) {
                const auto low = static_cast<Word<Lanes>>(bits[part][k]) &
                                 static_cast<Word<Lanes>>((2ull << (kBits - 1)) - 1);
                word |= low << (part * kBits);
            }
            words[row + k] = word;
        }
    }
}

template <class T>
void pack_for(const NodeView& node, bool costs, const Lane* lanes, int n, void* words) {
    constexpr int kAll = kWalkLanes<T>, kFew = kLanes<T>;
    if (costs && node.wide)
        pack_of<std::uint64_t, kFew>(node, lanes, n, static_cast<Word<kFew>*>(words));
    else if (costs)
        pack_of<std::uint32_t, kFew>(node, lanes, n, static_cast<Word<kFew>*>(words));
    else if (node.wide)
        pack_of<std::uint64_t, kAll>(node, lanes, n, static_cast<Word<kAll>*>(words));
    else
        pack_of<std::uint32_t, kAll>(node, lanes, n, static_cast<Word<kAll>*>(words));
}

// Behind the words of blocks, the same with the sides of label 0 exchanged.
void turn_words(const NodeView& node, void* packed) {
    auto* words = static_cast<Word<kWalkLanes<std::int8_t>>*>(packed);
    auto* turned = words + node.stride;
    for (int row = 0; row < node.n_first; ++row) turned[row] = ~words[row];
    for (int row = node.n_first; row < node.n_rows; ++row) turned[row] = words[row];
}

void pack(const NodeView& node, Width width, bool costs, const Lane* lanes, int n, void* words) {
    switch (width) {
        case Width::i8:
            return pack_for<std::int8_t>(node, costs, lanes, n, words);
        case Width::i16:
            return pack_for<std::int16_t>(node, costs, lanes, n, words);
        case Width::i32:
            return pack_for<std::int32_t>(node, costs, lanes, n, words);
        case Width::f64:
            return pack_for<double>(node, costs, lanes, n, words);
        case Width::blocks:
            pack_for<std::int8_t>(node, costs, lanes, n, words);
            return turn_words(node, words);
    }
}

template <class T>
inline std::int64_t lane(const Vec<T>& vector, int l) {
    return static_cast<std::int64_t>(vector[l]);
}

#include "thresholds/kernels/classes.hpp"
#include "thresholds/kernels/costs.hpp"
#include "thresholds/kernels/divide.hpp"
#include "thresholds/kernels/ends.hpp"
#include "thresholds/kernels/squares.hpp"
#include "thresholds/kernels/two_labels.hpp"
#include "thresholds/kernels/two_labels_blocks.hpp"

}  // namespace

extern const Kernels kernels;
const Kernels kernels = {
    STREED_LEVEL_NAME,
    // Without a byte shuffle, bytes are not worth it.
    {kVectorBytes > 16 ? kWalkLanes<std::int8_t> : 0, kWalkLanes<std::int16_t>, kWalkLanes<std::int32_t>,
     // Where masks are vectors, too, blocks of bytes took five times as long as 16 bits (AVX2: htru, eeg,
     // magic).
     kWalkLanes<double>, kVectorBytes == 64 ? kWalkLanes<std::int8_t> : 0},
    {0, 0, kLanes<std::int32_t>, kLanes<double>, 0},
    mark_ends,
    pack,
    two_labels,
    classes,
    costs,
    number_rows,
    divide_order,
    divide_ranks,
    divide_words,
    squares,
};

}  // namespace STREED_LEVEL
}  // namespace streed::thresholds
