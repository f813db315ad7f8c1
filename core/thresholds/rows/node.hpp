// The rows of a search node: per column the ranks by row, and the rows in the order of their values.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/aligned.hpp"
#include "thresholds/kernels/kernels.hpp"

namespace streed::thresholds {

using Cost = std::int64_t;

class RowModel;

// What a node and the walks over it must know of a row model (models/row_model.hpp).
struct RowTraits {
    bool numbers = false;      // rows have numbers, in `Node::costs`, instead of a label and a weight
    bool label_costs = false;  // these are costs of labels, for the kernel of costs
    bool runs = false;         // the kernel walks runs of labels
    bool opposed = false;      // the kernel walks one sum, to which the two labels add with opposite signs
    double work = 1;           // of a walk, per row and column; costs: 2, and one for every label
};

// A node with up to 32,767 rows has entries of 32 bits, else of 64. Rows of a node are numbered by label;
// rows with equal values stand by number. Four rows with values 5, 3, 5, 8 and labels 0, 0, 1, 1 have the
// ranks 1, 0, 1, 2 and the order 1, 0, 2, 3; the groups end at the positions 1, 3 and 4, and the thresholds
// are the positions 1 and 3: so many rows are below.
class Node {
public:
    static constexpr int kMostNarrow = 32767;

    // Makes room for so many rows; returns by how many bytes the buffers have grown.
    std::size_t allocate(int n_rows, int n_columns, int n_labels, const RowModel& model, bool unit);
    double factor() const { return factor_; }
    void set_factor(double factor) { factor_ = factor; }
    // Finds the groups of equal values. Once per node.
    void prepare(const Kernels& kernels, int min_samples_leaf, bool narrow_lanes);
    bool prepared() const { return prepared_; }
    // Finds runs and values in the form that kernels read. Once per node, when a kernel is to walk over it;
    // returns bytes as above.
    std::size_t prepare_walks();

    int size() const { return n_rows_; }
    int n_columns() const { return n_columns_; }
    int n_labels() const { return n_labels_; }
    bool wide() const { return wide_; }
    bool unit() const { return unit_; }
    const RowModel& model() const { return *model_; }
    const RowTraits& traits() const { return traits_; }
    bool has_costs() const { return traits_.numbers; }
    // Kernels read numbers of each row: its own, or what each label costs it.
    bool as_costs() const { return has_costs() || min_samples_leaf_ > 1; }
    Width width() const { return width_; }
    const NodeView& view() const { return view_; }

    // A column is constant, or left out since another one has the same splits here.
    bool constant(int column) const { return groups_[static_cast<std::size_t>(column)] < 2; }
    void drop(int column) { groups_[static_cast<std::size_t>(column)] = 1; }
    // The first threshold that is not before a position (or all rows), and the last one that is not behind it
    // (or none).
    int threshold_from(int column, int position) const;
    int threshold_up_to(int column, int position) const;

    std::uint32_t row_at(int column, int position) const {
        return wide_ ? static_cast<std::uint32_t>(order<std::uint64_t>(column)[position]) & 0x7fffffffu
                     : order<std::uint32_t>(column)[position] & 0x7fffu;
    }
    std::int32_t rank_of(int column, std::uint32_t row) const {
        return wide_ ? ranks<std::int32_t>(column)[row] : ranks<std::int16_t>(column)[row];
    }
    std::int32_t rank_at(int column, int position) const { return rank_of(column, row_at(column, position)); }
    // The rows below a position have other values than those above.
    bool ends_at(int column, int position) const {
        return wide_ ? order<std::uint64_t>(column)[position - 1] >> 63 != 0
                     : order<std::uint32_t>(column)[position - 1] >> 31 != 0;
    }
    Cost weight_up_to(int column,
                      int position) const;  // of the rows below a position; all rows count one in unit nodes

    // The first position behind (the last one before) another one with more than that weight between the two.
    int after_weight(int column, int position, Cost weight) const;
    int before_weight(int column, int position, Cost weight) const;

    std::uint32_t* roots() { return roots_.as<std::uint32_t>(); }
    const std::uint32_t* roots() const {
        return roots_.as<std::uint32_t>();
    }  // numbers of the rows in the root
    std::uint32_t* labels() { return labels_.as<std::uint32_t>(); }
    const std::uint32_t* labels() const { return labels_.as<std::uint32_t>(); }
    double* weights() { return weights_.as<double>(); }  // what a row can cost at most
    const double* weights() const { return weights_.as<double>(); }
    double* costs() { return costs_.as<double>(); }  // [row][label], or [row][statistic]
    const double* costs() const { return costs_.as<double>(); }
    std::vector<Cost>& totals() { return totals_; }  // per label: weight, or cost
    const std::vector<Cost>& totals() const { return totals_; }
    Cost weight() const { return weight_; }
    Cost leaf_cost() const;
    void add_up();  // totals, from labels, weights and costs

    template <class Entry>
    Entry* order(int column) {
        return static_cast<Entry*>(order_.data()) + at(column);
    }
    template <class Entry>
    const Entry* order(int column) const {
        return static_cast<const Entry*>(order_.data()) + at(column);
    }
    template <class Rank>
    Rank* ranks(int column) {
        return static_cast<Rank*>(ranks_.data()) + at(column);
    }
    template <class Rank>
    const Rank* ranks(int column) const {
        return static_cast<const Rank*>(ranks_.data()) + at(column);
    }

private:
    std::size_t at(int column) const {
        return static_cast<std::size_t>(column) * static_cast<std::size_t>(stride_);
    }
    template <class T>
    std::size_t prepare_sums(bool values);
    template <class T>
    std::size_t find_all_runs();
    template <class Entry, class T>
    void find_runs(int column);
    template <class T>
    std::size_t make_values();

    int n_rows_ = 0, n_columns_ = 0, n_labels_ = 0, stride_ = 0, min_samples_leaf_ = 1, n_first_ = 0;
    bool wide_ = false, unit_ = true, prepared_ = false, walks_prepared_ = false;
    const RowModel* model_ = nullptr;
    RowTraits traits_;
    Width width_ = Width::i16;
    Cost weight_ = 0;
    double factor_ = 1;  // as in the view
    NodeView view_;
    AlignedBuffer ranks_, order_, roots_, labels_, weights_, costs_, values_;
    std::vector<Cost> totals_;
    std::vector<std::int32_t> groups_, n_runs_;
    std::vector<Walk> walk_;
    std::vector<AlignedBuffer> run_buffers_;
    std::vector<const void*> runs_;
    mutable std::vector<std::vector<Cost>> sums_;  // weights up to a position, when asked for
};

// Where each row goes: its number in the child, and in the highest bit the side.
struct RowMap {
    std::vector<std::uint32_t> wide;
    std::vector<std::uint16_t> narrow;
};

// Divides the rows of a node in two steps: those whose rank in the column is below `rank` go to `lower`. The
// first one numbers the rows and makes room; returns by how many bytes buffers have grown.
std::size_t open_sides(const Node& node, int column, std::int32_t rank, const Kernels& kernels, Node& lower,
                       Node& upper, RowMap& map);

// The second one copies the rows. Orders stay orders. Constant columns are not copied. `look` is called
// before each column of a wide node, and may throw.
void fill_sides(const Node& node, const Kernels& kernels, Node& lower, Node& upper, const RowMap& map,
                const std::function<void()>& look);

}  // namespace streed::thresholds
