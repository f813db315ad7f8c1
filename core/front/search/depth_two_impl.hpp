// Bodies of FrontSearch: the last two levels at once (Algorithm 2 of the paper, for vectors).
//
// The guide's pair table shows which roots can be within the budget. For those the vectors of all cells (root
// feature and second feature) are counted once; every other cell of a tree of depth two is a difference.
#pragma once

namespace streed {

template <int M>
void FrontSearch<M>::pairs(int level, int depth, int nodes, Accumulator<M>& sink) {
    Layer& at = layer(level);
    std::vector<std::int32_t> candidates;
    std::vector<double> value;  // weighted cost of the best tree by its root, in the order of the candidates
    double limit = 0;
    if (guide_ != nullptr) {
        Worker& worker = guide_->worker();
        Level& scalar = worker.level(level);
        const std::vector<std::int32_t>& active = scalar.node.active();
        limit = guide_->limit(sink.threshold() + at.constant, nodes);
        for (const std::int32_t lane : active) candidates.push_back(scalar.node.feature(lane));
        if (depth == 2) {
            worker.tables.load(scalar);
            const double best = worker.pairs.look_ahead(scalar, nodes);
            if (best >= limit) return;
            const double all = guide_->search().model.ticks * scalar.node.potential();
            for (const std::int32_t lane : active)
                value.push_back(all - scalar.look.template as<double>()[lane]);
            control_.work(static_cast<double>(active.size() * active.size()) * scalar.node.words() / 4);
        }
    } else {
        candidates = level == 0 ? at.lanes : layer(level - 1).lanes;
    }
    at.part.pack(candidates, least_rows_);
    const std::vector<std::int32_t>& features = at.part.features();
    if (features.empty()) return;
    control_.work(static_cast<double>(features.size()) * at.part.cell_work());
    if (depth == 1) {
        stumps(at.part, at.part.total().data(), at.part.single(0), false, features.size(), sink);
        return;
    }
    counted_ = guide_ == nullptr && PairCounts::fits(rows_, features.size());
    if (counted_) {
        if (!counts_) counts_ = std::make_unique<PairCounts>(rows_, control_, kernels_);
        counts_->load(at.part);
    }
    const bool dense_nodes = counted_ && dense() && nodes >= 3 &&
                             at.part.highest(0) - at.part.lowest(0) < 65536 &&
                             at.part.highest(1) - at.part.lowest(1) < kDenseRange &&
                             std::max(branch_[0], branch_[M - 1]) < 65536;
    if (dense_nodes) {
        columns_.resize(6 * features.size());
        for (std::size_t b = 0; b < features.size(); ++b) {
            columns_[2 * features.size() + b] = static_cast<std::int32_t>(at.part.single(b)[0]);
            columns_[3 * features.size() + b] = static_cast<std::int32_t>(at.part.single(b)[1]);
        }
    }
    for (std::size_t a = 0, c = 0; a < features.size() && within(at.part, sink.ceiling()); ++a) {
        if (dense_nodes) {
            control_.work(static_cast<double>(features.size()) * 12);
            const std::size_t start = arena.size();
            dense_root(at, a, sink);
            tidy(sink, start);
            continue;
        }
        while (candidates[c] != features[a]) ++c;
        if (guide_ != nullptr && value[c] >= guide_->limit(sink.threshold() + at.constant, nodes)) continue;
        control_.work(static_cast<double>(features.size()) * at.part.cell_work());
        const std::size_t mark = arena.size();
        pair_root(at, a, nodes, sink);
        tidy(sink, mark);
    }
}

// All trees of depth two with one root: points of either side within what the other side leaves, then their
// sums.
template <int M>
void FrontSearch<M>::pair_root(Layer& at, std::size_t root, int nodes, Accumulator<M>& sink) {
    const Part& part = at.part;
    if (counted_)
        counts_->cells(part, root, cells_);
    else
        part.cells(root, cells_);
    const std::size_t channels = rows_.channels;
    std::vector<double> total[2] = {part.total(),
                                    std::vector<double>(part.single(root), part.single(root) + channels)};
    for (std::size_t c = 0; c < channels; ++c) total[0][c] -= total[1][c];
    const std::int32_t feature = part.features()[root];
    const Vector<M> step = step_of(feature, part.count());
    const double step_cost = weighted(step);
    tested_.push_back(feature);
    for (int division = 0; division < (nodes == 2 ? 2 : 1); ++division) {
        const bool split[2] = {nodes >= 3 || division == 0, nodes >= 3 || division == 1};
        double least[2];
        for (int side = 0; side < 2; ++side) {
            least[side] = std::numeric_limits<double>::infinity();
            for (int label = 0; label < rows_.n_labels; ++label)
                least[side] = std::min(least[side], weighted(labelled(total[side].data(), label)));
            if (split[side] && guide_ != nullptr)
                least[side] = std::min(least[side],
                                       least_stump(part, total[side].data(), cells_.data(), side == 0, root));
        }
        if (least[0] + least[1] + step_cost > sink.threshold()) continue;
        Points points[2] = {no_points(), no_points()};
        for (int side = 0; side < 2; ++side) {
            Accumulator<M>& sums = stumps_[side];
            // Cells may be negative: the ceiling is looked at on the sums only.
            Vector<M> ceiling;
            ceiling.fill(std::numeric_limits<double>::infinity());
            begin(sums, part, 1, sink.threshold() - least[!side] - step_cost + slack(), ceiling,
                  guide_ != nullptr ? 16 : 4 * static_cast<double>(part.features().size()));
            add_leaves(total[side], sums);
            if (split[side]) stumps(part, total[side].data(), cells_.data(), side == 0, root, sums);
            points[side] = settle(sums);
        }
        if (!points[0].empty() && !points[1].empty()) join(points[0], points[1], feature, step, sink);
    }
    tested_.pop_back();
}

// Pairs where everything is counted: with label 1 on one side of a split only, the sums of all second
// features are two columns of numbers, and the best ones fall into a table by their first component.
template <int M>
void FrontSearch<M>::dense_root(Layer& at, std::size_t root, Accumulator<M>& sink) {
    if constexpr (M == 2) {
        const std::int32_t feature = at.part.features()[root];
        bool loaded = false;
        for (const int side : {1, 0}) {
            if (shared_.has(shared_.key(feature, side))) continue;
            if (!loaded)
                counts_->columns(at.part, root, columns_.data(), columns_.data() + at.part.features().size());
            loaded = true;
            if (!dense_side(at.part, root, side, sink.ceiling())) return;
            shared_.put(shared_.key(feature, side), entries_[side]);
        }
        std::span<const DenseStumps::Entry> list[2];
        for (const int side : {0, 1}) {
            const std::size_t key = shared_.key(feature, side);
            list[side] = shared_.has(key) ? shared_.get(key)
                                          : std::span<const DenseStumps::Entry>(entries_[side]);
        }
        for (const DenseStumps::Entry& l : list[0]) {
            const double base[2] = {l.first + branch_[0], l.second + branch_[1]};
            sink.add_all(list[1], base, feature, l.who);
        }
        control_.work(3 * static_cast<double>(list[0].size() * list[1].size()));
    }
}

// The list of one side of a root, from the columns of the side that has the feature. False if nothing is
// below the ceiling.
template <int M>
bool FrontSearch<M>::dense_side(const Part& part, std::size_t root, int side, const Vector<M>& most) {
    const std::size_t n = part.features().size();
    const std::int32_t *first = columns_.data(), *second = first + n;
    if (side == 0) {
        std::int32_t* rest = columns_.data() + 4 * n;
        for (std::size_t b = 0; b < 2 * n; ++b) rest[b] = columns_[2 * n + b] - columns_[b];
        first = rest;
        second = rest + n;
    }
    DenseStumps::Set set{first, second, n, {}, {}, 0, 0, 0};
    double ceiling[2], low = 0;
    for (std::size_t j = 0; j < 2; ++j) {
        const double with = part.single(root)[j], lowest = part.single_lowest(root)[j],
                     rest = part.lowest(static_cast<int>(j)) - lowest;
        set.total[j] = static_cast<std::int32_t>(side == 1 ? with : part.total()[j] - with);
        set.branch[j] = static_cast<std::int32_t>(branch_[j]);
        ceiling[j] = most[j] - branch_[j] - (side == 1 ? rest : lowest);
        if (j == 0) low = side == 1 ? lowest : rest;
    }
    if (low > ceiling[0]) return false;
    set.low = static_cast<std::int32_t>(low);
    set.high = static_cast<std::int32_t>(std::min(set.total[0] - low + branch_[0], ceiling[0]));
    set.ceiling = static_cast<std::int32_t>(std::clamp(ceiling[1], -kDenseRange, kDenseRange));
    dense_.find(set, entries_[side]);
    for (DenseStumps::Entry& e : entries_[side])
        if (e.who >= 0)
            e.who = Arena::stump(part.features()[static_cast<std::size_t>(e.who / 2)], e.who % 2 == 1);
    return !entries_[side].empty();
}

// The least weighted cost of a single split of one side of the root feature.
template <int M>
double FrontSearch<M>::least_stump(const Part& part, const double* total, const double* cells, bool without,
                                   std::size_t skip) const {
    const std::size_t channels = rows_.channels;
    const double count = total[channels - 1];
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < part.features().size(); ++b) {
        if (b == skip) continue;
        const double* both = cells + b * channels;
        const double* single = part.single(b);
        const double rows = without ? single[channels - 1] - both[channels - 1] : both[channels - 1];
        if (rows < least_rows_ || count - rows < least_rows_) continue;
        double with = 0, rest = 0;
        for (std::size_t at = 0; at + 1 < channels; at += static_cast<std::size_t>(M)) {
            double cell = 0, others = 0;
            for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) {
                const double value = without ? single[at + j] - both[at + j] : both[at + j];
                cell += weights_[j] * value;
                others += weights_[j] * (total[at + j] - value);
            }
            with = std::min(with, cell);
            rest = std::min(rest, others);
        }
        best = std::min(best, with + rest + weighted(step_of(part.features()[b], count)));
    }
    return best;
}

// All single splits of a set of rows with all pairs of labels. `cells` are the sums of the rows with each
// second feature; for the rows without the root feature they are what the single sums leave.
template <int M>
void FrontSearch<M>::stumps(const Part& part, const double* total, const double* cells, bool without,
                            std::size_t skip, Accumulator<M>& sink) {
    constexpr std::size_t m = static_cast<std::size_t>(M);
    const std::size_t channels = rows_.channels;
    const std::size_t n = part.features().size();
    // Two labels: one side has label 1 and the other has not.
    const bool two = rows_.n_labels == 2 && !same_labels_;
    sides_.resize(2 * channels);
    double* in = sides_.data();
    double* out = in + channels;
    for (std::size_t b = 0; b < n; ++b) {
        if (b == skip) continue;
        const double* both = cells + b * channels;
        const double* single = part.single(b);
        const double rows = without ? single[channels - 1] - both[channels - 1] : both[channels - 1];
        if (rows < least_rows_ || total[channels - 1] - rows < least_rows_) continue;
        const Vector<M> step = step_of(part.features()[b], total[channels - 1]);
        if (two) {
            Candidate<M> right{{}, 0, part.features()[b], ~0, ~1};
            Candidate<M> left{{}, 0, part.features()[b], ~1, ~0};
            for (std::size_t j = 0; j < m; ++j) {
                const double value = without ? single[j] - both[j] : both[j];
                right.v[j] = value + step[j];
                left.v[j] = total[j] - value + step[j];
            }
            if (guide_ != nullptr) {
                right.scalar = weighted(right.v);
                left.scalar = weighted(left.v);
            }
            sink.add(left);
            sink.add(right);
            continue;
        }
        for (std::size_t c = 0; c < channels; ++c) {
            in[c] = without ? single[c] - both[c] : both[c];
            out[c] = total[c] - in[c];
        }
        for (int right_label = 0; right_label < rows_.n_labels; ++right_label) {
            Vector<M> base = labelled(in, right_label);
            for (std::size_t j = 0; j < m; ++j) base[j] += step[j];
            for (int left_label = 0; left_label < rows_.n_labels; ++left_label) {
                if (left_label == right_label && !same_labels_) continue;
                Candidate<M> sum{base, 0, part.features()[b], ~left_label, ~right_label};
                if (left_label > 0)
                    for (std::size_t j = 0; j < m; ++j)
                        sum.v[j] += out[static_cast<std::size_t>(left_label - 1) * m + j];
                sum.scalar = weighted(sum.v);
                sink.add(sum);
            }
        }
    }
}

}  // namespace streed
