// The inner loops of the search over thresholds, one table per instruction set.
#pragma once

#include <cstdint>
#include <string>

namespace streed::thresholds {

// Lanes are root splits; the widths are those of the sums in them. `blocks` are bytes that are added up anew
// after so few rows that they hold all sums (two labels whose rows count one).
enum class Width : int { i8, i16, i32, f64, blocks };
constexpr int kWidths = 5;
constexpr int kMostLanes = 64;

// How the order of a column is walked: all values distinct, with groups of equal values, or with a branch at
// the few positions where sums can be extreme.
enum class Walk : std::uint8_t { distinct, ties, turns };

// Rows of one label side by side in the order of a column. A group of equal values with several labels has
// one run per label, of which only the last one's end is a possible threshold.
template <class T>
struct Run {
    std::uint32_t end;
    std::uint32_t label;  // the highest bit is set where the end of the run is a possible threshold
    T before;             // weight of the label up to the run
    T after;              // and with it
};
constexpr std::uint32_t kThreshold = 1u << 31;

// The rows of a node. An entry of an order has the number of a row in its lower half, the rank of its value
// in its upper half. The highest bit of the upper half is set where the next value is another one, that of
// the lower half where the signed sum of two labels can be extreme. Entries have 32 bits, those of wide
// nodes 64.
struct NodeView {
    int n_rows = 0;
    int stride = 0;
    int n_columns = 0;
    bool wide = false;
    const void* ranks = nullptr;           // [column][row], half as wide as entries
    void* order = nullptr;                 // [column][position], ascending
    const std::int32_t* groups = nullptr;  // per column: distinct values
    const Walk* walk = nullptr;            // per column
    int n_first = 0;                       // rows of label 0, which have the least numbers
    int n_labels = 0;
    const void* values =
        nullptr;  // [row], signed with two labels; [row][label] for costs; null: rows count one
    const std::uint32_t* labels = nullptr;  // [row]
    const void* const* runs = nullptr;      // per column
    const std::int32_t* n_runs = nullptr;   // per column
    int min_samples_leaf = 1;
    double factor = 1;  // squared error: parts of a tick, of sum^2 / weight
};

// Costs of squared error have parts of a tick before they are rounded.
constexpr double kPartsOfTick = 0x1p-14;

// Ticks of a leaf, or of several, from the squares of their rows and what their means save, both in parts.
static inline std::int64_t square_ticks(double square, double saved) {
    const double cost = (square - saved) * kPartsOfTick;
    return cost > 0 ? static_cast<std::int64_t>(cost + 0.5) : 0;
}

// A root split: rows whose rank is below this go to the lower side.
struct Lane {
    std::int32_t column;
    std::int32_t rank;
};

// Of the lower (0) and the upper (1) side of each lane: a single leaf, and the best two leaves (at least as
// good). For labels the gain of the leaves, for costs their cost. `limited` are two leaves of the least size,
// if such were asked for.
struct Sides {
    std::int64_t leaf[2][kMostLanes];
    std::int64_t stump[2][kMostLanes];
    std::int64_t limited[2][kMostLanes];
};
constexpr std::int64_t kNone = std::int64_t{1} << 60;

struct Kernels {
    const char* name;
    int lanes[kWidths];       // per width: root splits of one walk, 0 where the width is not served
    int cost_lanes[kWidths];  // the same for costs
    // Marks the ends of groups in an order, and those where sums can be extreme; returns the number of both.
    int (*mark_ends)(void* order, bool wide, int n_rows, int n_first, int* turns);
    void (*pack)(const NodeView& node, Width width, bool costs, const Lane* lanes, int n, void* words);
    void (*two_labels)(const NodeView& node, Width width, const void* words, Sides& out);
    void (*classes)(const NodeView& node, Width width, const void* words, void* scratch, Sides& out);
    void (*costs)(const NodeView& node, Width width, const void* words, void* scratch, Sides& out);
    // Where each row of a narrow node goes: to the upper child if its rank is not below `rank` (the highest
    // bit), and its number there. Returns the number of rows of the lower child.
    int (*number_rows)(const std::int16_t* ranks, int n_rows, std::int32_t rank, std::uint16_t* map);
    // Orders, ranks and other values of the rows of both children. Up to 15 entries behind the last one are
    // overwritten.
    void (*divide_order)(const std::uint32_t* from, int n_rows, const std::uint16_t* map, std::uint32_t* low,
                         std::uint32_t* high);
    void (*divide_ranks)(const std::int16_t* from, int n_rows, const std::uint16_t* map, std::int16_t* low,
                         std::int16_t* high);
    void (*divide_words)(const std::uint32_t* from, int n_rows, const std::uint16_t* map, std::uint32_t* low,
                         std::uint32_t* high);
    void (*squares)(const NodeView& node, const void* words, Sides& out);
};

// Bytes of the words that `pack` writes: of blocks two arrays.
inline std::size_t words_bytes(const NodeView& node) {
    return 16 * (static_cast<std::size_t>(node.stride) + 64);
}

// Bytes of the scratch memory that `classes` and `costs` want.
inline std::size_t scratch_bytes(const NodeView& node) {
    const std::size_t rows = static_cast<std::size_t>(node.n_rows),
                      labels = static_cast<std::size_t>(node.n_labels);
    return (3 * rows + 8 * labels + 16) * 256;
}

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

// The kernels of a level by name, "auto" for the best one; std::invalid_argument if the machine lacks it.
const Kernels& select_kernels(const std::string& level);

}  // namespace streed::thresholds
