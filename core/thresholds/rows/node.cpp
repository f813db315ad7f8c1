#include "thresholds/rows/node.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace streed::thresholds {

std::size_t Node::allocate(int n_rows, int n_columns, int n_labels, Model model, bool unit) {
    n_rows_ = n_rows;
    n_columns_ = n_columns;
    n_labels_ = n_labels;
    model_ = model;
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

Cost Node::leaf_cost() const {
    if (model_ == Model::squares) {
        const double sum = static_cast<double>(totals_[1]);
        return square_ticks(static_cast<double>(totals_[2]),
                            sum * sum / std::max(static_cast<double>(totals_[0]), 1.0) * factor_);
    }
    if (model_ == Model::costs) return *std::min_element(totals_.begin(), totals_.end());
    return weight_ - *std::max_element(totals_.begin(), totals_.end());
}

int Node::leaf_label() const {
    if (model_ == Model::squares) return 0;
    const auto best = model_ == Model::costs ? std::min_element(totals_.begin(), totals_.end())
                                             : std::max_element(totals_.begin(), totals_.end());
    return static_cast<int>(best - totals_.begin());
}

// Lanes hold every sum of a walk: of one label with two labels, of two labels with more, of four cells with
// costs.
void Node::choose_width(const Kernels& kernels, bool as_costs, bool narrow_lanes) {
    const Cost largest = *std::max_element(totals_.begin(), totals_.end());
    if (model_ == Model::squares) {
        width_ = Width::f64;
        return;
    }
    if (as_costs) {
        width_ = largest < (1 << 28) && n_rows_ < (1 << 28) ? Width::i32 : Width::f64;
        return;
    }
    const Cost most = model_ == Model::two_labels ? largest : weight_;
    width_ = most < (1 << 30) ? Width::i32 : Width::f64;
    if (narrow_lanes && most <= 32767) width_ = most <= 127 && kernels.lanes[0] > 0 ? Width::i8 : Width::i16;
}

namespace {

// A branch at positions that are more frequent than one in so many rows is mispredicted too often.
constexpr int kRowsPerTurn = 8;

}  // namespace

void Node::prepare(const Kernels& kernels, int min_samples_leaf, bool narrow_lanes) {
    if (prepared_) return;
    prepared_ = true;
    min_samples_leaf_ = min_samples_leaf;
    const std::size_t columns = static_cast<std::size_t>(n_columns_);
    choose_width(kernels, as_costs(), narrow_lanes);
    walk_.resize(columns);
    sums_.resize(columns);
    n_first_ = model_ == Model::two_labels
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
                                       model_ == Model::two_labels && !as_costs() ? &turns : nullptr);
        walk_[c] = turns * kRowsPerTurn < n_rows_ ? Walk::turns
                   : groups_[c] == n_rows_        ? Walk::distinct
                                                  : Walk::ties;
    }
}

std::size_t Node::prepare_walks() {
    if (walks_prepared_) return 0;
    walks_prepared_ = true;
    std::size_t grown = 0;
    if (model_ == Model::classes && !as_costs()) grown += find_all_runs();
    if (!unit_ || as_costs()) {
        switch (width_) {
            case Width::i8:
                grown += make_values<std::int8_t>();
                break;
            case Width::i16:
                grown += make_values<std::int16_t>();
                break;
            case Width::i32:
                grown += make_values<std::int32_t>();
                break;
            case Width::f64:
                grown += make_values<double>();
                break;
        }
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
             unit_ && !as_costs() ? nullptr : values_.data(),
             labels(),
             runs_.data(),
             n_runs_.data(),
             min_samples_leaf_,
             factor_};
    return grown;
}

std::size_t Node::find_all_runs() {
    std::size_t grown = 0;
    n_runs_.resize(static_cast<std::size_t>(n_columns_));
    runs_.resize(static_cast<std::size_t>(n_columns_));
    run_buffers_.resize(static_cast<std::size_t>(n_columns_));
    const std::size_t run_bytes = width_ == Width::f64 ? sizeof(Run<double>) : sizeof(Run<std::int32_t>);
    for (int j = 0; j < n_columns_; ++j) {
        if (constant(j)) continue;
        AlignedBuffer& buffer = run_buffers_[static_cast<std::size_t>(j)];
        grown += buffer.reserve((static_cast<std::size_t>(n_rows_) + 1) * run_bytes +
                                static_cast<std::size_t>(n_labels_) * 8);
        runs_[static_cast<std::size_t>(j)] = buffer.data();
        switch (width_) {
            case Width::i8:
                wide_ ? find_runs<std::uint64_t, std::int8_t>(j) : find_runs<std::uint32_t, std::int8_t>(j);
                break;
            case Width::i16:
                wide_ ? find_runs<std::uint64_t, std::int16_t>(j) : find_runs<std::uint32_t, std::int16_t>(j);
                break;
            case Width::i32:
                wide_ ? find_runs<std::uint64_t, std::int32_t>(j) : find_runs<std::uint32_t, std::int32_t>(j);
                break;
            case Width::f64:
                wide_ ? find_runs<std::uint64_t, double>(j) : find_runs<std::uint32_t, double>(j);
                break;
        }
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
            out[row] = static_cast<T>(model_ == Model::two_labels && labels()[row] == 0 ? -own : own);
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
// value of its own next to a value whose rows all have that label.
template <class Entry, class T>
void Node::find_runs(int column) {
    constexpr int half = 4 * static_cast<int>(sizeof(Entry));
    constexpr Entry end_bit = Entry{1} << (2 * half - 1), row_bits = (Entry{1} << (half - 1)) - 1;
    const Entry* entries = order<Entry>(column);
    Run<T>* runs = run_buffers_[static_cast<std::size_t>(column)].as<Run<T>>();
    std::vector<T> sums(static_cast<std::size_t>(n_labels_), T(0));
    int n = 0;
    bool starts = true, pure = false;  // the row starts a group; the group so far has one label
    for (int p = 0; p < n_rows_; ++p) {
        const Entry entry = entries[p];
        const std::uint32_t row = static_cast<std::uint32_t>(entry & row_bits), label = labels()[row];
        const bool ends = (entry & end_bit) != 0;
        const T before = sums[label],
                after = static_cast<T>(before + static_cast<T>(unit_ ? 1.0 : weights()[row]));
        sums[label] = after;
        const bool same = n > 0 && (runs[n - 1].label & ~kThreshold) == label;
        const bool joins = same && (starts ? pure && ends : true);
        if (starts && !joins) pure = true;
        if (!starts && !same) pure = false;
        if (joins) {
            runs[n - 1].end = static_cast<std::uint32_t>(p + 1);
            runs[n - 1].after = after;
            runs[n - 1].label &= ~kThreshold;
        } else {
            runs[n++] = {static_cast<std::uint32_t>(p + 1), label, before, after};
        }
        if (ends) runs[n - 1].label |= kThreshold;
        starts = ends;
    }
    n_runs_[static_cast<std::size_t>(column)] = n;
    std::copy(sums.begin(), sums.end(), reinterpret_cast<T*>(runs + n));
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
