// The rows of a node in the form that the kernels walk: entries, runs of labels, ends of equal values.
#include "thresholds/rows/node.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "thresholds/models/row_model.hpp"

namespace streed::thresholds {

std::size_t Node::allocate(int n_rows, int n_columns, int n_labels, const RowModel& model, bool unit) {
    n_rows_ = n_rows;
    n_columns_ = n_columns;
    n_labels_ = n_labels;
    model_ = &model;
    traits_ = model.traits;
    unit_ = unit;
    wide_ = n_rows > kMostNarrow;
    stride_ = (n_rows + 1 + 31) / 32 * 32;
    prepared_ = walks_prepared_ = false;
    const std::size_t cells = at(n_columns) + 64, rows = static_cast<std::size_t>(stride_) + 16;
    std::size_t grown = ranks_.reserve(cells * (wide_ ? 4 : 2)) + order_.reserve(cells * (wide_ ? 8 : 4));
    grown += roots_.reserve(rows * 4) + labels_.reserve(rows * 4);
    if (!unit) grown += weights_.reserve(rows * 8);
    if (has_costs()) grown += costs_.reserve(rows * 8 * static_cast<std::size_t>(n_labels));
    groups_.assign(static_cast<std::size_t>(n_columns), 2);
    return grown;
}

void Node::add_up() {
    totals_.assign(static_cast<std::size_t>(n_labels_), 0);
    const std::size_t rows = static_cast<std::size_t>(n_rows_), width = static_cast<std::size_t>(n_labels_);
    weight_ = unit_ ? n_rows_ : 0;
    for (std::size_t row = 0; !unit_ && row < rows; ++row) weight_ += static_cast<Cost>(weights()[row]);
    if (has_costs()) {
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t k = 0; k < width; ++k) totals_[k] += static_cast<Cost>(costs()[row * width + k]);
        return;
    }
    for (std::size_t row = 0; row < rows;) {  // rows of a label stand side by side
        const std::uint32_t label = labels()[row];
        const std::size_t end = static_cast<std::size_t>(
            std::upper_bound(labels() + row, labels() + rows, label) - labels());
        totals_[label] = unit_ ? static_cast<Cost>(end - row)
                               : static_cast<Cost>(std::accumulate(weights() + row, weights() + end, 0.0));
        row = end;
    }
}

Cost Node::leaf_cost() const { return model_->leaf_cost(*this); }

namespace {

// A branch at positions that are more frequent than one in so many rows is mispredicted too often. With 8
// wilt and breast cancer took 1.02 times as long as with 4, with 5 as long.
constexpr int kRowsPerTurn = 4;

}  // namespace

void Node::prepare(const Kernels& kernels, int min_samples_leaf, bool narrow_lanes) {
    if (prepared_) return;
    prepared_ = true;
    min_samples_leaf_ = min_samples_leaf;
    const std::size_t columns = static_cast<std::size_t>(n_columns_);
    width_ = model_->width(*this, kernels, narrow_lanes);
    walk_.resize(columns);
    sums_.resize(columns);
    n_first_ = traits_.opposed
                   ? static_cast<int>(std::lower_bound(labels(), labels() + n_rows_, 1u) - labels())
                   : 0;
    for (int j = 0; j < n_columns_; ++j) {
        const std::size_t c = static_cast<std::size_t>(j);
        sums_[c].clear();
        if (constant(j)) continue;
        int turns = n_rows_;
        void* column = wide_ ? static_cast<void*>(order<std::uint64_t>(j))
                             : static_cast<void*>(order<std::uint32_t>(j));
        groups_[c] = kernels.mark_ends(column, wide_, n_rows_, n_first_,
                                       traits_.opposed && !as_costs() ? &turns : nullptr);
        walk_[c] = turns * kRowsPerTurn < n_rows_ ? Walk::turns
                   : groups_[c] == n_rows_        ? Walk::distinct
                                                  : Walk::ties;
    }
}

template <class T>
std::size_t Node::prepare_sums(bool values) {
    std::size_t grown = 0;
    if (traits_.runs && !as_costs()) grown += find_all_runs<T>();
    if (values) grown += make_values<T>();
    return grown;
}

std::size_t Node::prepare_walks() {
    if (walks_prepared_) return 0;
    walks_prepared_ = true;
    const bool values = !unit_ || as_costs();
    std::size_t grown = 0;
    switch (width_) {
        case Width::i8:
        case Width::blocks:
            grown = prepare_sums<std::int8_t>(values);
            break;
        case Width::i16:
            grown = prepare_sums<std::int16_t>(values);
            break;
        case Width::i32:
            grown = prepare_sums<std::int32_t>(values);
            break;
        case Width::f64:
            grown = prepare_sums<double>(values);
            break;
    }
    view_ = {n_rows_,
             stride_,
             n_columns_,
             wide_,
             ranks_.data(),
             order_.data(),
             groups_.data(),
             walk_.data(),
             n_first_,
             n_labels_,
             values ? values_.data() : nullptr,
             labels(),
             runs_.data(),
             n_runs_.data(),
             min_samples_leaf_,
             factor_};
    return grown;
}

template <class T>
std::size_t Node::find_all_runs() {
    std::size_t grown = 0;
    const std::size_t columns = static_cast<std::size_t>(n_columns_);
    n_runs_.resize(columns);
    runs_.resize(columns);
    run_buffers_.resize(columns);
    for (int j = 0; j < n_columns_; ++j) {
        if (constant(j)) continue;
        AlignedBuffer& buffer = run_buffers_[static_cast<std::size_t>(j)];
        grown += buffer.reserve((static_cast<std::size_t>(n_rows_) + 1) * sizeof(Run<T>) +
                                static_cast<std::size_t>(n_labels_) * sizeof(T));
        runs_[static_cast<std::size_t>(j)] = buffer.data();
        wide_ ? find_runs<std::uint64_t, T>(j) : find_runs<std::uint32_t, T>(j);
    }
    return grown;
}

template <class T>
std::size_t Node::make_values() {
    const std::size_t rows = static_cast<std::size_t>(n_rows_),
                      labels_per_row = static_cast<std::size_t>(n_labels_);
    const std::size_t grown = values_.reserve(static_cast<std::size_t>(stride_) * sizeof(T) *
                                              (as_costs() ? labels_per_row : 1));
    T* out = values_.as<T>();
    for (std::size_t row = 0; row < rows; ++row) {
        const double own = unit_ ? 1.0 : weights()[row];
        if (!as_costs()) {
            out[row] = static_cast<T>(traits_.opposed && labels()[row] == 0 ? -own : own);
            continue;
        }
        for (std::size_t k = 0; k < labels_per_row; ++k)
            out[row * labels_per_row + k] = static_cast<T>(has_costs() ? costs()[row * labels_per_row + k]
                                                           : labels()[row] == k ? 0.0
                                                                                : own);
    }
    return grown;
}

// A row starts a run of its own unless it has the label of the row before and either the same value, or a
// value of its own next to a value whose rows all have that label. There is no branch, since labels are not
// predicted well: every row writes the end of its run, and the next row of the run overwrites it. Weights
// follow run by run, from those of all rows up to its end. Row by row and with branches this took as long as
// the walks of a small node (wine at depth 3).
template <class Entry, class T>
void Node::find_runs(int column) {
    constexpr int half = 4 * static_cast<int>(sizeof(Entry));
    constexpr Entry row_bits = (Entry{1} << (half - 1)) - 1;
    const Entry* entries = order<Entry>(column);
    const std::uint32_t* label_of = labels();
    Run<T>* runs = run_buffers_[static_cast<std::size_t>(column)].as<Run<T>>();
    std::uint32_t last = kThreshold;     // the label of the row before: none
    std::uint32_t inside = 0, pure = 0;  // the row before has its value; the group so far has one label
    std::size_t n_runs = 0;
    const std::size_t n = static_cast<std::size_t>(n_rows_);
    for (std::size_t p = 0; p < n; ++p) {
        const Entry entry = entries[p];
        const std::uint32_t label = label_of[entry & row_bits],
                            ends = static_cast<std::uint32_t>(entry >> (2 * half - 1)), same = label == last,
                            joins = same & (inside | (pure & ends));
        n_runs += 1 - joins;
        runs[n_runs - 1].end = static_cast<std::uint32_t>(p + 1);
        runs[n_runs - 1].label = label | ends << 31;
        pure = (inside ^ 1) | (pure & same);
        inside = ends ^ 1;
        last = label;
    }
    n_runs_[static_cast<std::size_t>(column)] = static_cast<int>(n_runs);
    T* sums = reinterpret_cast<T*>(runs + n_runs);
    std::fill_n(sums, n_labels_, T(0));
    std::size_t p = 0;
    for (std::size_t r = 0; r < n_runs; ++r) {
        T& sum = sums[runs[r].label & ~kThreshold];
        runs[r].before = sum;
        if (unit_) sum = static_cast<T>(sum + static_cast<T>(runs[r].end - p));
        for (p = unit_ ? runs[r].end : p; p < runs[r].end; ++p)
            sum = static_cast<T>(sum + static_cast<T>(weights()[entries[p] & row_bits]));
        runs[r].after = sum;
    }
}

// Groups are short, or there are few of them: looking for the next end costs less than a list of all.
int Node::threshold_from(int column, int position) const {
    position = std::max(position, 1);
    while (position < n_rows_ && !ends_at(column, position)) ++position;
    return std::min(position, n_rows_);
}

int Node::threshold_up_to(int column, int position) const {
    position = std::min(position, n_rows_ - 1);
    while (position > 0 && !ends_at(column, position)) --position;
    return std::max(position, 0);
}

Cost Node::weight_up_to(int column, int position) const {
    if (unit_) return position;
    std::vector<Cost>& sums = sums_[static_cast<std::size_t>(column)];
    if (sums.empty()) {
        sums.resize(static_cast<std::size_t>(n_rows_) + 1);
        for (int p = 0; p < n_rows_; ++p)
            sums[static_cast<std::size_t>(p) + 1] = sums[static_cast<std::size_t>(p)] +
                                                    static_cast<Cost>(weights()[row_at(column, p)]);
    }
    return sums[static_cast<std::size_t>(position)];
}

int Node::after_weight(int column, int position, Cost weight) const {
    if (unit_) return static_cast<int>(std::min<Cost>(n_rows_, position + weight + 1));
    const Cost below = weight_up_to(column, position);
    const std::vector<Cost>& sums = sums_[static_cast<std::size_t>(column)];
    return static_cast<int>(std::upper_bound(sums.begin() + position, sums.end(), below + weight) -
                            sums.begin());
}

int Node::before_weight(int column, int position, Cost weight) const {
    if (unit_) return static_cast<int>(std::max<Cost>(0, position - weight - 1));
    const Cost below = weight_up_to(column, position);
    const std::vector<Cost>& sums = sums_[static_cast<std::size_t>(column)];
    return static_cast<int>(std::lower_bound(sums.begin(), sums.begin() + position, below - weight) -
                            sums.begin()) -
           1;
}

}  // namespace streed::thresholds
