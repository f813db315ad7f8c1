// The budgeted front search: Algorithm 1 of the paper for vectors, guided by a scalar search.
//
// A node keeps the points whose weighted cost is within its budget. A split is skipped when the scalar bounds
// of its children exceed the budget together, and a child's budget is what the bound of its sibling leaves.
// Without a guide no split is skipped.
//
// Vectors are relative: the tree that gives label 0 to all rows of a node is the zero of that node.
#pragma once

#include <memory>
#include <vector>

#include "front/data/pair_counts.hpp"
#include "front/data/part.hpp"
#include "front/points/archive.hpp"
#include "front/points/dense_stumps.hpp"
#include "front/points/points.hpp"
#include "front/points/sizes.hpp"
#include "front/points/stump_store.hpp"
#include "front/scalar/scalar.hpp"
#include "front/search/control.hpp"

namespace streed {

template <int M>
class FrontSearch {
public:
    using Points = CountedVector<Point<M>>;

    // `guide` may be null. One point dominates another only where the first `equal` components agree.
    FrontSearch(const Rows& rows, const Kernels& kernels, Control& control, Scalar* guide, int equal);

    // Gives all candidates of the root that the sink may want to it.
    void run(int depth, int nodes, Accumulator<M>& sink) {
        uses_.fill({});
        expand(0, depth, nodes, sink);
    }
    // What a root has when the search has ended, also early, with its trees.
    std::vector<std::pair<std::vector<double>, Tree>> found(Accumulator<M>& points) const;

    Arena arena;
    double skipped = 0;  // children that bounds made needless

private:
    // What is asked of a child: the points within a weighted budget and below a ceiling; of these, where
    // corners are given, at least those below one of them, or all (`whole`).
    struct Request {
        int nodes;
        double budget;
        Vector<M> ceiling;
        const Corners<M>* wanted;
        bool whole;
    };

    // How many splits were compared with bounds, and how many children did not have to be searched. Bounds
    // that skip less than 0.4 of the first 128 are not used any more (32, 512, 0.2 and 0.6 take as long).
    struct Use {
        double looked = 0, skipped = 0;
        bool useful() const { return looked < 128 || skipped >= 0.4 * looked; }
    };

    struct Layer {
        explicit Layer(Control& control) : points(control), archive(control.ledger) {}
        Words mask;
        Part part;
        Accumulator<M> points;
        std::vector<std::int32_t> lanes;
        std::vector<double> bounds;
        Corners<M> wanted;   // of this node
        Archive<M> archive;  // of its children
        Words side;
        Part side_part;
        double constant = 0;  // weighted cost of label 0 above the least one
    };

    // The sum of two points and a branching node.
    void join(const Points& lefts, const Points& rights, std::int32_t feature, const Vector<M>& step,
              Accumulator<M>& sink);
    // What a branching node adds that tests a feature of so many rows.
    Vector<M> step_of(int feature, double rows) const {
        Vector<M> step = branch_;
        if (rows_.tests.any()) {
            const double* price = rows_.tests.of(feature, tested_);
            for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) step[j] += price[j] * rows;
        }
        return step;
    }
    void tidy(Accumulator<M>& points, std::size_t mark);
    // Forgets trees made since `mark` that the points do not need, when there are many.
    void compact(std::size_t mark, Accumulator<M>& points);
    void expand(int level, int depth, int nodes, Accumulator<M>& sink);
    void add_leaves(const std::vector<double>& total, Accumulator<M>& sink);
    void deep(int level, int depth, int nodes, Accumulator<M>& sink);
    void try_split(int level, int depth, int nodes, int lane, Accumulator<M>& sink);
    void pairs(int level, int depth, int nodes, Accumulator<M>& sink);
    void pair_root(Layer& at, std::size_t root, int nodes, Accumulator<M>& sink);
    void stumps(const Part& part, const double* total, const double* cells, bool without, std::size_t skip,
                Accumulator<M>& sink);

    // Whether the last two levels are two whole components, two labels and nothing else: dense_root then
    // serves them.
    bool dense() const {
        return M == 2 && equal_ == 0 && guide_ == nullptr && rows_.n_labels == 2 && least_rows_ == 1 &&
               !same_labels_ && !rows_.tests.any();
    }
    void dense_root(Layer& at, std::size_t root, Accumulator<M>& sink);
    bool dense_side(const Part& part, std::size_t root, int side, const Vector<M>& most);
    static constexpr double kDenseRange = 0x1p29;  // second components fit into a cell of the table

    Points front(int level, int depth, const Request& request);
    Points settle(Accumulator<M>& points);
    void ask_first(int level, const Corners<M>& wanted, const std::vector<Vector<M>>& others,
                   const Vector<M>& step, Request& request);
    void ask_second(int level, const Corners<M>& wanted, const Points& first, const Vector<M>& step,
                    Request& request);
    std::vector<Vector<M>> bounds_of(int level, const std::uint64_t* column, bool side, int nodes);
    void child(int level, int feature, int lane, bool side);
    void open_lanes(int level, int depth, int nodes, double threshold);
    double least_stump(const Part& part, const double* total, const double* cells, bool without,
                       std::size_t skip) const;
    void begin(Accumulator<M>& points, const Part& part, int nodes, double threshold,
               const Vector<M>& ceiling, double expected) const;

    double weighted(const Vector<M>& v) const {
        double sum = 0;
        for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) sum += weights_[j] * v[j];
        return sum;
    }
    // Vector of rows given by their channels when they get one label.
    Vector<M> labelled(const double* channels, int label) const {
        Vector<M> v{};
        if (label > 0)
            for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j)
                v[j] = channels[static_cast<std::size_t>((label - 1) * M) + j];
        return v;
    }
    Layer& layer(int level) {
        while (layers_.size() <= static_cast<std::size_t>(level))
            layers_.push_back(std::make_unique<Layer>(control_));
        return *layers_[static_cast<std::size_t>(level)];
    }
    // Between these are all vectors of a node.
    Vector<M> lowest(const Part& part) const {
        Vector<M> v{};
        for (int j = 0; j < M; ++j)
            v[static_cast<std::size_t>(j)] =
                part.lowest(j) + std::min(0.0, branch_[static_cast<std::size_t>(j)]) * part.count();
        return v;
    }
    Vector<M> highest(const Part& part, int nodes) const {
        Vector<M> v{};
        for (int j = 0; j < M; ++j)
            v[static_cast<std::size_t>(j)] = part.highest(j) +
                                             std::max(0.0, branch_[static_cast<std::size_t>(j)]) * nodes +
                                             rows_.tests.most(static_cast<std::size_t>(j), part.count());
        return v;
    }
    // The corners of a sink's upper bound set, if it has one beside its ceiling and the set has skipped
    // enough at this level; null else. Tables of splits are faster than any bound on their entries.
    const Corners<M>* corners(const Accumulator<M>& sink, int level) const {
        return !dense() && uses_[static_cast<std::size_t>(level)].useful() ? sink.corners() : nullptr;
    }
    void narrow(int level, Accumulator<M>& sink) const {
        if (corners(sink, level) != nullptr) sink.narrow();
    }
    void count_skipped(Use& use, int children) {
        use.skipped += children;
        skipped += children;
    }
    static constexpr std::size_t kRepresentatives = 12;  // of the points of a child; 6 and 24 take as long
    // Whether anything of a node can be below the ceiling.
    bool within(const Part& part, const Vector<M>& ceiling) const {
        for (int j = 0; j < M; ++j)
            if (part.lowest(j) + std::min(0.0, branch_[static_cast<std::size_t>(j)]) * part.count() >
                ceiling[static_cast<std::size_t>(j)])
                return false;
        return true;
    }
    Points no_points() const { return Points(Counted<Point<M>>(control_.ledger)); }
    double slack() const { return guide_ != nullptr ? guide_->slack() : 0; }

    const Rows& rows_;
    const Kernels& kernels_;
    Control& control_;
    Scalar* guide_;
    int equal_;
    double least_rows_;
    std::array<Use, 32> uses_{};  // by level
    std::vector<int> tested_;     // features on the path, where tests have prices
    bool similar_ = false;        // fronts of similar rows are bounds
    bool same_labels_ = false;    // a split with equal labels below it can matter
    Vector<M> weights_{}, branch_{};
    std::vector<std::unique_ptr<Layer>> layers_;
    std::vector<double> cells_, sides_;
    Accumulator<M> stumps_[2] = {Accumulator<M>(control_), Accumulator<M>(control_)};
    std::unique_ptr<PairCounts> counts_;  // of the node at hand, without a guide
    bool counted_ = false;
    DenseStumps dense_;
    StumpStore shared_{control_.ledger};
    std::vector<DenseStumps::Entry> entries_[2];
    std::vector<std::int32_t> columns_;
};

// Compiled in a file of its own for each number of components (instances/).
extern template class FrontSearch<2>;
extern template class FrontSearch<3>;
extern template class FrontSearch<4>;
extern template class FrontSearch<8>;
extern template class FrontSearch<32>;
extern template class FrontSearch<kMostComponents>;

}  // namespace streed
