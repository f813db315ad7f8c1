// Prices of rows that no leaf exceeds: the linear programme of all leaves.
//
// Give every row a price such that the rows of any conjunction of tests cost no more than a leaf with these
// rows and the price of a split. Added up over the leaves of a tree with a split, the prices of all rows are
// at most the cost of the tree and the price of one split: a bound, also of every node below, from the prices
// of its rows. The best such prices are the dual of the programme that covers the rows by leaves, fractions
// allowed. It has a constraint per conjunction; violated ones are added until there are none (column
// generation). First conjunctions are grown greedily; when that finds none, all are searched
// (conjunctions.hpp), which is the proof.
//
// One price per label was tried first: it proved much less. On heart-cleveland at .01 the search without
// prices of rows had the bound .101 after ten seconds; they prove .155, where the best tree costs .202. On
// diabetes and yeast at .01 the programme has the value of the best tree.
#pragma once

#include <memory>
#include <vector>

#include "priced/prices/conjunctions.hpp"
#include "priced/prices/groups.hpp"
#include "priced/prices/programme.hpp"
#include "priced/rows/rows.hpp"

namespace streed::priced {

class LeafPrices {
public:
    LeafPrices(const Root& root, const Kernels& kernels) : root_(root), kernels_(kernels) {}

    // Looks for prices of the rows, always the same ones, with at most `effort` operations; `least` is a
    // bound, in ticks, that must be exceeded to be of use; `stop` ends it. True if they are better than
    // before.
    bool improve(const Rows& rows, double least, double effort, const Stop& stop);
    bool finished() const { return finished_; }  // no better ones are to be found
    // Of each row, in ticks; all of them less the price of a split bound a tree with a split.
    const std::vector<double>& prices() const { return prices_; }
    double work() const { return work_; }
    std::size_t bytes() const;

private:
    void begin(const Rows& rows);
    void round_prices();
    bool move_inside();
    void set_prices(double scale);
    bool add(std::vector<Conjunction>& found);
    // 1 if the rounded prices are proven, more by how much they are too large at most; 0 if that is not
    // known.
    double prove(double end, const Stop& stop, std::vector<Conjunction>& found);

    const Root& root_;
    const Kernels& kernels_;
    Groups groups_;
    std::unique_ptr<Programme> programme_;
    double scale_ = 1;                              // of the programme's numbers, in units
    double quantum_ = 1;                            // of the rounded numbers, in units
    std::int32_t branch_ = 0;                       // rounded down
    std::vector<std::vector<std::int32_t>> costs_;  // [label][group], rounded down
    std::vector<double> inside_;                    // prices that no known conjunction exceeds, in units
    std::vector<std::int32_t> rounded_;             // price of each group
    std::vector<double> prices_;
    double value_ = 0;  // of the prices, in ticks
    bool finished_ = false;
    double work_ = 0;
};

}  // namespace streed::priced
