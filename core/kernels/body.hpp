// Body of the kernels. Included by one source file per instruction set, which defines STREED_LEVEL (the
// namespace) and STREED_VECTOR_BYTES. Everything here has internal linkage and no standard library template
// is used: a weak symbol compiled for AVX must never be picked by the linker for the baseline.
#include "kernels/intrinsics.hpp"
#include "kernels/kernels.hpp"

namespace streed {
namespace STREED_LEVEL {
namespace {

#include "kernels/vectors.hpp"
#include "kernels/words.hpp"
#include "kernels/nibbles.hpp"
#include "kernels/tables/packing.hpp"
#include "kernels/tables/transpose.hpp"
#include "kernels/pairs/cells.hpp"
#include "leaves/native/losses.hpp"
#include "leaves/native/table.hpp"
#include "leaves/native/pairs.hpp"
#include "leaves/native/packed_table.hpp"
#include "leaves/native/packed_pairs.hpp"
#include "leaves/native/packed_root.hpp"
#include "leaves/native/chains.hpp"
#include "leaves/native/estimates.hpp"
#include "leaves/native/groups.hpp"
#include "kernels/tables/counts.hpp"
#include "kernels/tables/steps.hpp"
#include "kernels/tables/sparse.hpp"
#include "kernels/tables/sums.hpp"

void pair_table(const Frame& frame, const std::uint64_t* filter, const void* singles, void* table,
                double* weights, const Scratch& scratch) {
    if (frame.counting && frame.steps != nullptr) return step_tables(frame, filter, table, weights, scratch);
    if (frame.counting) return count_table(frame, filter, table, weights, scratch);
    sum_table(frame, filter, singles, table, scratch);
}

#include "kernels/pairs/pairs.hpp"
#include "kernels/tables/subtract.hpp"
#include "kernels/bounds.hpp"
#include "kernels/tables/rows.hpp"
#include "kernels/children/children.hpp"

}  // namespace

extern const Kernels kernels;
const Kernels kernels = {
    .name = STREED_LEVEL_NAME,
    .lane_multiple = kVectorBytes,
    .single_sums = single_sums,
    .pair_table = pair_table,
    .solve_pairs = solve_pairs,
    .label_gains = label_gains,
    .pair_cells = pair_cells,
    .round_costs = round_costs,
    .reduce_cells = reduce_cells,
    .table_splits = table_splits,
    .native_costs = native_costs,
    .native_splits = native_splits,
    .native_table = native_table,
    .packed_table = packed_table,
    .packed_splits = packed_splits,
    .packed_sizes = packed_sizes,
    .packed_root = packed_root,
    .chain_table = chain_table,
    .estimate_roots = estimate_roots,
    .bin_sums = bin_sums,
    .group_costs = group_costs,
    .selected_sum = selected_sum,
    .subtract_table = subtract_table,
    .subtract_counts = subtract_counts,
    .subtract = subtract,
    .compress = compress,
    .compress_columns = compress_columns,
    .turn_columns = turn_columns,
    .turn_columns_by_slot = turn_columns_by_slot,
    .count_columns = count_columns,
    .solve_children = solve_children,
    .children_bytes = children_bytes,
    .count_and = count_and,
    .pair_weights = pair_weights,
    .prices_after_test = prices_after_test,
    .lost_prices = lost_prices,
    .push_bounds = push_bounds,
    .push_both = push_both,
};

}  // namespace STREED_LEVEL
}  // namespace streed
