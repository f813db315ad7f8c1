// The inner loops of the search, compiled once per instruction set and chosen at run time.
//
// All of them work on pair tables: table[i][j] = sum of a statistic over the rows that have both features i
// and j (Algorithm 2 of the paper), with the features j as vector lanes. There are two ways to fill one: by
// counting bits where every row counts one (kernels/tables/counts.hpp) or one of few numbers
// (kernels/tables/steps.hpp), by adding row vectors where rows carry weights (kernels/tables/sums.hpp). What
// a table is worth is the same for both (kernels/pairs/pairs.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "leaves/leaf_kind.hpp"
#include "leaves/native/leaf.hpp"

namespace streed {

constexpr std::size_t kPlanBytes = 24;  // how a word of selected rows is packed

// Number type of a lane. Narrow lanes are used where the sums of a node are known to fit.
enum class Lane : int { i8 = 0, i16 = 1, i32 = 2, f64 = 3 };
// Number type in which the row vectors are stored.
enum class Storage : int { i8 = 0, i32 = 1, f64 = 2 };

constexpr std::size_t lane_bytes(Lane lane) {
    return lane == Lane::i8 ? 1 : lane == Lane::i16 ? 2 : lane == Lane::i32 ? 4 : 8;
}
constexpr std::size_t storage_bytes(Storage storage) {
    return storage == Storage::i8 ? 1 : storage == Storage::i32 ? 4 : 8;
}

// A run of slots with the same label, beginning at a word. Two labels: the positive rows, then the negative
// ones.
struct Block {
    int word_begin;
    int word_end;
};

// One additive statistic of weighted rows: the words of the bit columns that hold its rows, and their
// vectors. Two labels need one channel over all rows (signed weights); K labels one channel per label, each
// over the rows of that label; a lower limit on the leaf size adds a channel of row counts.
struct Channel {
    int word_begin;
    int word_end;
    const void* matrix;    // row of slot s begins at element s * stride; none where slots are sparse
    const double* values;  // of the slots themselves
};

// The problem of one search node as the kernels see it.
struct Frame {
    const std::uint64_t* columns;  // feature i: columns + i * words
    int words;
    int stride;  // lanes of a row of a table, padded
    const std::int32_t* active;
    int n_active;  // features that are not constant in the node
    const std::int32_t* idle;
    int n_idle;  // all other lanes
    Lane lane;
    int n_channels;
    bool counting;    // every slot counts one: tables are made from the blocks, else from the channels
    bool difference;  // counting: block 0 minus block 1 in one channel; else one channel per block
    bool counted;     // the last channel holds row counts
    const Block* blocks;
    int n_blocks;
    // Weighted rows only.
    const Channel* channels;
    Storage storage;
    int chunk;  // row vectors that can be added in 8-bit lanes without overflow
    // The lanes of the active features that a slot has, or lacks where most slots have the feature.
    const std::uint32_t* row_begin;  // [slot], into row_lanes
    const std::uint32_t* row_lanes;
    const std::uint8_t* listed_without;  // [lane]
    bool sparse;                         // wide numbers: slots have these lists instead of matrices
    const std::int32_t* steps;  // counting a difference: what a row of each block adds; null: 1 and -1
};

// Buffers of one thread for the kernels.
struct Scratch {
    std::uint32_t* indices;  // index_count(stride) entries
    void* narrow;            // a table in the storage type (weighted rows)
    std::uint64_t*
        bits;       // (stride + 1) * (words + 2 * blocks) words; for weighted rows at most kIndexWords count
    void* plan;     // kPlanBytes per word (counting)
    void* tallies;  // 4 * stride * stride bytes (counting)
    std::uint8_t* panel;  // panel_bytes(stride) (counting)
    double* work;         // (8 + 2 * channels) * stride + channels + 8
    // Called now and then during a long pair table; may throw to give up.
    void (*checkpoint)(void*);
    void* context;
};

// Prices of a pair problem by lane, in cost units per row. After a first test the features of its attribute
// are free, those of its group have their discounted price.
struct PairPrices {
    const double* now;  // of the first test, given the path
    const double* discounted;
    const double* attribute;  // numbers; -1 where it was tested on the path
    const double* group;      // numbers, of its own where there is none
    bool grouped;             // whether any feature has a group
    const double* next;       // what any test costs at least after one of this lane (label_gains only)
    double after(std::size_t first, std::size_t lane) const {
        return attribute[first] == attribute[lane] ? 0.0
               : group[first] == group[lane]       ? discounted[lane]
                                                   : now[lane];
    }
};

// Where the prices of a node are, or those after one more test; as PairPrices.
struct PriceArrays {
    double* now;
    double* discounted;
    double* attribute;
};

// A problem with two levels left: pair table, single sums and totals, all in the node's lane type.
struct PairProblem {
    const void* table;    // [channel][feature][stride]
    const void* minuend;  // null, or a table of the same shape: the problem's table is then minuend - table
    const void* singles;  // [channel][stride]
    const void* totals;   // [channel]
    const PairPrices* prices = nullptr;
    // With benefits per root: null, or room for those of either side of each with at most one split,
    // [side][stride].
    double* sides = nullptr;
};

struct LeafModel {
    LeafKind kind;
    int n_values;  // channels that enter the benefit
    int min_samples_leaf;
    bool counted;           // the last channel holds row counts
    const double* scale;    // counting: what a row of each label weighs, null if one
    double ticks;           // cost units per unit of benefit
    double branch_cost;     // in cost units
    bool in_units = false;  // prices: costs may be compared as whole numbers of a unit, exact or rounded
    double unit =
        0;  // cost units that `ticks` and all prices are whole multiples of; zero if that is not known
    bool maximum = false;  // function: a tree costs what its most expensive leaf does
};

// The best benefit (in cost units, branching costs subtracted) with at most 1, 2 and 3 branching nodes.
struct PairBenefit {
    double at_most[4];
};

// The usable features of a pair problem, side by side, for leaf functions (kernels/pairs/cells.hpp).
struct CellPlan {
    const std::int32_t* lanes;
    int n;
    const double* singles;  // [channel][n]
    const double* totals;   // [channel]
    int n_values;           // the channel after them holds row counts
    double least;           // rows of a leaf
    double* row;            // room for n numbers
};

// Costs of leaves by the sums of their whole statistics: those of a leaf are at position sum of factor *
// statistic.
struct CellTable {
    const double* costs;         // in ticks; 1e300 for too few rows
    const std::int32_t* factor;  // [channel]
    int n_factors;
    std::int32_t* work;  // 2 * stride numbers
};

// A pair problem of packed sums (leaves/native/packed_table.hpp), as PairProblem; singles of idle lanes are
// zero.
struct PackedProblem {
    const std::int64_t* table;
    const std::int64_t* minuend;  // null: `table` is that of the rows
    const std::int64_t* singles;  // [lane]
    std::int64_t total;
    double* unpacked;  // room for both statistics of the singles, [statistic][lane]
};

// Benefits of both children of every root in ticks, as leaves and with the best split; -1e300 for too few
// rows. [lane]
struct NativeSplits {
    double* right_leaf;
    double* left_leaf;
    double* right;
    double* left;
};

// One root of such a problem, from its rows (leaves/native/packed_root.hpp).
struct RootProblem {
    const std::uint64_t* masks;  // bits by rows
    const std::uint64_t* filter;
    const std::int64_t* values;   // [slot]
    const std::int64_t* minuend;  // the root's row of the table of all rows: those not let through; or null
    const std::int64_t* singles;  // [lane], and the total: of the rows in question
    std::int64_t total;
    std::uint32_t* indices;  // room for all rows and eight more
    std::int64_t* row;       // room for all lanes
};
// Benefits in ticks, as NativeSplits.
struct RootSplits {
    double right_leaf, left_leaf, right, left;
};

// Features that lie side by side and hold each other, by their positions among the active ones.
struct Chain {
    std::int32_t first, last;
    bool falling;  // the later ones are parts of the earlier ones
};

// The rows of a node by chains, each row one number of 32 bits (leaves/native/chains.hpp).
struct ChainRows {
    const std::uint64_t* masks;  // bits by rows
    const std::int32_t* values;  // [slot]
    std::size_t slots;
    const Chain* chains;  // all active features are in one
    int n_chains;
    // [chain][slot]: where in the table the row of the smallest feature is that has the slot; a row beyond
    // all lanes where none has it.
    const std::uint32_t* entry;
    std::size_t pitch;       // lanes of a row of the table
    std::uint32_t* indices;  // room for all rows and eight more
    void* room;              // kChainRoom bytes
};
constexpr std::size_t kChainRoom = 64 * 8 * 64;

// A pair problem of coarse sums (leaves/native/estimates.hpp), as PackedProblem.
struct EstimateProblem {
    const std::int32_t* table;    // [lane][pitch]
    const std::int32_t* minuend;  // or null
    const std::int32_t* singles;  // [lane]
    std::int32_t total;
    std::size_t pitch;
    int shift;
    float branch;  // what branching costs, in squares of the grid
    float* room;   // 4 * pitch numbers
    float* roots;  // [lane]
};

// Sets of rows of which the best groups are asked for (leaves/native/groups.hpp), one set per lane.
constexpr int kMostGroups = 16;
struct GroupProblem {
    const double* sums;  // [bin][weight, target, potential][lane]
    int bins, lanes;
    int groups;            // at most, up to kMostGroups
    bool open;             // the last number of groups stands for all larger ones, too
    double price, factor;  // of a group; ticks of a benefit of one
    double limit;          // groups that cost more need not be told apart from one that costs as much
    double* costs;         // [groups - 1][lane], with prices
    void* room;            // group_room() bytes
};
constexpr std::size_t group_room(std::size_t bins) { return (bins + 1) * (3 + kMostGroups + 1) * 64; }

// What a solved child shares with the children of every other feature, in weight or in rows.
struct SharedRows {
    bool side;             // of the child
    double own;            // all of it
    const double* both;    // [lane], of the node's rows that have both features
    const double* single;  // [lane], of those that have this one
    double per;            // cost of one that the sibling lacks
    const double* each;    // [lane], what one costs more that both have; null for nothing
};

// Both children of a feature, for the bounds of all their siblings; weights as in SharedRows.
struct SolvedChildren {
    double left, right;    // their values, or bounds of them
    double own, all;       // weight of the right child, and of the node
    double per;            // cost of a unit of weight that a sibling lacks
    const double* both;    // [lane], weight of the rows that have both features
    const double* single;  // [lane], of those that have this one
};

// Both children of a feature, two labels (kernels/children/children.hpp). The first child is the smaller one.
// All numbers are differences of the labels, in the node's lane type; in 32 bits where the model has a weight
// per label.
struct ChildrenProblem {
    const std::uint64_t* rows;  // of the node, by turn_columns
    std::size_t spacing;
    const std::uint64_t* filter;  // rows of the smaller child
    const void* table;            // pair table of the node
    const void* singles[2];
    int totals[2];
    const LeafModel* model;
    void* buffer;        // children_bytes
    bool sizes = false;  // whether trees with two branching nodes are wanted, too
};
struct ChildBenefits {
    double
        of[2];  // of the best trees with two levels and at least one branching, in cost units; no less than 0
    double two[2];  // of those with at most two branching nodes, if they are wanted
};

struct Kernels {
    const char* name;
    int lane_multiple;  // strides are multiples of this many lanes, of eight where sums are added under masks

    // out[channel][lane] = sum over the rows in `filter` (weighted rows only).
    void (*single_sums)(const Frame&, const std::uint64_t* filter, void* out, const Scratch&);

    // Fills table[channel][i] for every active i over the rows in `filter`. `singles` are the sums of the
    // filtered rows per feature. When counting, `weights` (may be null) receives the number of rows for every
    // pair.
    void (*pair_table)(const Frame&, const std::uint64_t* filter, const void* singles, void* table,
                       double* weights, const Scratch&);

    // Solves a problem with two levels left. Only at_most[nodes] is wanted, or all of them when `nodes` is 0.
    // `per_root` (may be null) receives for every lane the benefit of the best tree with that root and at
    // most `nodes` nodes.
    PairBenefit (*solve_pairs)(const Frame&, const LeafModel&, const PairProblem&, int nodes,
                               double* per_root, const Scratch&);

    // For every lane the most that its children can gain, as leaves or with a split below which either side
    // has at most `labels` labels (2, 4 or 8); in cost units. Largest sums only.
    void (*label_gains)(const Frame&, const LeafModel&, const PairProblem&, int labels, double* right,
                        double* left, const Scratch&);

    // Cells of root `a` with all later ones, [value][spacing], and their numbers of rows; costs to ticks; the
    // best splits.
    void (*pair_cells)(const Frame&, const PairProblem&, const CellPlan&, int a, double* cells,
                       std::size_t spacing, double* sizes);
    double (*round_costs)(const double* costs, int labels, const double* unavoidable, std::size_t n,
                          double per_unit, double most, double* ticks);
    void (*reduce_cells)(int n, int a, const double* ticks, const double* sizes, double least, bool maximum,
                         double* right, double* left);
    // The best splits of both children of every root, from a table of costs. Returns a number that is very
    // negative if ⊕ is max and one of the costs is wrong.
    double (*table_splits)(const Frame&, const PairProblem&, const CellTable&, bool maximum, double* right,
                           double* left);

    // Leaf functions that the engine knows (leaves/native/pairs.hpp): of single leaves, and the best splits
    // of pairs.
    void (*native_costs)(const NativeModel&, const double* sums, std::size_t n, double* ticks);
    void (*native_splits)(const Frame&, const PairProblem&, const NativeModel&, const NativeSplits&);
    // Their pair tables (leaves/native/table.hpp), from bits by rows; the channel numbered `unused` is left
    // out.
    void (*native_table)(const Frame&, const std::uint64_t* row_bits, const std::uint64_t* filter,
                         const double* singles, double* table, std::uint32_t* indices, bool half, int unused);
    // The same of two statistics in one number (leaves/native/packed_table.hpp).
    void (*packed_table)(const Frame&, const std::uint64_t* row_bits, const std::uint64_t* filter,
                         const std::int64_t* values, const std::int64_t* singles, std::int64_t* table,
                         std::uint32_t* indices, bool half);
    void (*packed_splits)(const Frame&, const PackedProblem&, const NativeModel&, const NativeSplits&);
    // out[i][j] = the first statistic of active i in a packed table.
    void (*packed_sizes)(const Frame&, const std::int64_t* table, int shift, double* out);
    RootSplits (*packed_root)(const Frame&, const RootProblem&, int root, const NativeModel&);
    // Pair tables by chains, and estimates from them.
    void (*chain_table)(const Frame&, const ChainRows&, const std::uint64_t* filter, std::int32_t* table);
    float (*estimate_roots)(const Frame&, const EstimateProblem&);
    // The best groups of rows in the order of their targets (leaves/native/groups.hpp).
    void (*bin_sums)(const Frame&, const std::uint64_t* row_bits, const std::uint8_t* bin, int n_slots,
                     int bins, int lanes, double* out);
    void (*group_costs)(const GroupProblem&);
    double (*selected_sum)(const std::uint64_t* a, const std::uint64_t* b, int words, const double* values);

    // The table of a node from that of its parent, less that of the parent's other rows; both in the parent's
    // lanes, of which `lanes` (null: the same) has those of the node. The idle lanes of the node become zero.
    void (*subtract_table)(const Frame& parent, const Frame& node, const std::int32_t* lanes,
                           const void* whole, const void* part, void* out);
    // The numbers of rows of a node, one channel, in the way of subtract_table.
    void (*subtract_counts)(const Frame& parent, const Frame& node, const std::int32_t* lanes,
                            const double* whole, const double* part, double* out);

    // out = a - b over n lanes.
    void (*subtract)(Lane, const void* a, const void* b, void* out, int n);

    // Packs the bits of the selected rows of one column to the front; `out` has room for one more word.
    void (*compress)(const std::uint64_t* column, const std::uint64_t* selected, int words,
                     std::uint64_t* out);
    // Packs the selected bits of many columns, which need no more room than those; `plan` has kPlanBytes for
    // every word.
    void (*compress_columns)(const std::uint64_t* const* columns, int n, const std::uint64_t* selected,
                             int words, void* plan, std::uint64_t* const* out);

    // Bits by rows: out[group * spacing + slot] has 64 lanes of a slot, zero where they are idle; spacing =
    // 64 * words.
    void (*turn_columns)(const Frame&, const std::uint64_t* valid, std::uint64_t* out);
    // Bits by rows with the lanes of a slot side by side, for native_table: out[slot * groups + group].
    void (*turn_columns_by_slot)(const Frame&, std::uint64_t* out);
    // Filtered rows of every block that have a feature, for the lanes of a list: out[position][block].
    void (*count_columns)(const Frame&, const std::int32_t* lanes, int n, const std::uint64_t* filter,
                          std::int32_t* out);

    // Solves both children of a feature without filling a table. Lanes of 8 or 16 bits, at most 32,767 rows.
    ChildBenefits (*solve_children)(const Frame&, const ChildrenProblem&);
    std::size_t (*children_bytes)(const Frame&);

    // Rows that two bit sets share.
    int (*count_and)(const std::uint64_t* a, const std::uint64_t* b, int words);

    // Weight of the rows that have both features, for every pair, from the node's pair table. Signed weights
    // need the table of the positive rows beside it (weight = 2 * positive - signed), K labels are added up,
    // times their `scale` if there is one.
    void (*pair_weights)(const Frame&, const void* table, const void* positive, int n_values,
                         const double* scale, double* out);

    // Prices after a test of `lane`, from those before it. What a row may pay more after that test alone than
    // after one of each lane: nothing for the same attribute, the discounted price in the same group, else
    // `missed`.
    void (*prices_after_test)(int stride, const PairPrices& before, int lane, const PriceArrays& after);
    void (*lost_prices)(int stride, const PairPrices& prices, const double* missed, int lane, double* out);

    // The similarity bound of one solved child for all its siblings (similarity.cpp). `rows` is null where
    // they cost nothing.
    void (*push_bounds)(int stride, const SharedRows& weights, const SharedRows* rows, double value,
                        double* left, double* right);
    // The similarity bound of both children at once, where rows cost nothing.
    void (*push_both)(int lanes, const SolvedChildren& children, double* left, double* right);
};

constexpr int kIndexWords = 256;  // words of row indices decoded at a time: 64 KB, which stay in the cache
constexpr std::size_t index_count(int stride) {
    return static_cast<std::size_t>(kIndexWords) * 64 + 64 + 2 * static_cast<std::size_t>(stride);
}
constexpr int kMostSteps = 64;  // blocks of rows that are counted with a step each
constexpr int kPanelWords = 3;  // rows counted at a time in 8-bit lanes: 192, the most that fit
constexpr std::size_t panel_bytes(int stride) {
    return static_cast<std::size_t>(kPanelWords) * 16 * static_cast<std::size_t>(stride) +
           8 * static_cast<std::size_t>(stride) + 64;
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

}  // namespace streed
