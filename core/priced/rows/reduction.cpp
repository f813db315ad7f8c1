// The loop of the reduction: support, cancellation and duplicates in turns until none changes anything.
#include "priced/rows/reduction.hpp"

#include <numeric>
#include <utility>

namespace streed::priced {

// Leaving out features makes rows equal; merging equal rows takes support from features. A feature that is
// left out at a node can be left out at all nodes below it: sides only lose support.
double Reducer::reduce(std::unique_ptr<Rows>& rows, bool filtered, bool dropped) {
    double unavoidable = 0;
    unpaid_ = 0;
    for (;;) {
        if (filtered) {
            keep_.resize(static_cast<std::size_t>(rows->n_features));
            std::iota(keep_.begin(), keep_.end(), 0);
        } else {
            dropped = supported(*rows, keep_) || dropped;
        }
        if (techniques_.duplicates) distinct(*rows, keep_);
        if (static_cast<int>(keep_.size()) < rows->n_features) {
            select_features(*rows, keep_, *spare_);
            std::swap(rows, spare_);
        }
        if (!techniques_.cancellation || !dropped || rows->n_features == 0) return unavoidable;
        const double cost = merge(*rows, mask_);
        if (cost < 0) return unavoidable;
        unavoidable += cost;
        keep_.resize(static_cast<std::size_t>(rows->n_features));
        std::iota(keep_.begin(), keep_.end(), 0);
        select_rows(*rows, mask_, keep_, kernels_, *spare_);
        std::swap(rows, spare_);
        filtered = dropped = false;
    }
}

}  // namespace streed::priced
