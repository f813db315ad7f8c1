// Both children of a feature as pair problems, solved in one go. Two labels, rows that count one or have a
// weight per label. Part of kernels/body.hpp.
//
// The rows of the smaller child are packed; its pair table is counted in square tiles, and every tile is
// evaluated for both children while it is in registers: x is its cell of the smaller child, the node's table
// minus x that of the larger one. No table goes through memory. As tables are symmetric, only tiles on and
// above the diagonal are counted; the others are their transposes.
//
//     tiles of the blocks 0, 1, 2:   (0,0) (0,1) (0,2)     (0,1) serves as (1,0), too: its lanes are then the
//     features of block 0
//                                          (1,1) (1,2)
//                                                (2,2)
//
// What is left to an instruction set is how rows are packed and a tile is counted: kernels/children/wide.hpp
// (AVX-512), kernels/children/bytes.hpp (all others).

// The extremes of a column of the pair table, for 2 x - c and 2 y - d (see extremes()); zero is among them.
template <class T>
struct ColumnExtremes {
    Vec<T> most_x = {}, least_x = {}, most_y = {}, least_y = {};
    void add(Vec<T> x, Vec<T> single) {
        const Vec<T> y = single - x;
        most_x = larger(most_x, x);
        least_x = smaller(least_x, x);
        most_y = larger(most_y, y);
        least_y = smaller(least_y, y);
    }
};

// A number in all lanes, from an array in which it fills 32 bits: vectors are filled from 32 bits in memory
// without a shuffle.
template <class T>
inline Vec<T> spread(const std::uint32_t* filled) {
    return reinterpret_cast<Vec<T>>(Vec<std::uint32_t>{} + *filled);
}
template <class T>
inline std::uint32_t fill_word(T number) {
    if constexpr (sizeof(T) == 1)
        return static_cast<std::uint8_t>(number) * 0x01010101u;
    else if constexpr (sizeof(T) == 2)
        return static_cast<std::uint16_t>(number) * 0x00010001u;
    else
        return static_cast<std::uint32_t>(number);
}

// A number that holds twice the difference of any rows.
template <class T>
struct Doubled {
    typedef std::int16_t Type;
};
template <>
struct Doubled<std::int32_t> {
    typedef std::int32_t Type;
};

// The two children while they are evaluated: their extremes by root, kLanes<T> roots at a time.
template <class T>
struct ChildPair {
    const Frame& frame;
    const ChildrenProblem& problem;
    ColumnExtremes<T>* extremes;  // [vector of lanes][child]
    std::uint32_t* singles[2];    // [lane], filled up

    // `lanes` is a multiple of kLanes<T>; `room` takes room_for(lanes) bytes.
    ChildPair(const Frame& the_frame, const ChildrenProblem& the_problem, std::size_t lanes, char* room)
        : frame(the_frame), problem(the_problem) {
        const std::size_t n = 2 * lanes / static_cast<std::size_t>(kLanes<T>);
        extremes = reinterpret_cast<ColumnExtremes<T>*>(room);
        for (std::size_t k = 0; k < n; ++k) extremes[k] = {};
        for (std::size_t child = 0; child < 2; ++child) {
            singles[child] = reinterpret_cast<std::uint32_t*>(room + n * sizeof(ColumnExtremes<T>)) +
                             child * lanes;
            for (std::size_t j = 0; j < lanes; ++j)
                singles[child][j] = fill_word(static_cast<const T*>(problem.singles[child])[j]);
        }
    }
    static std::size_t room_for(std::size_t lanes) { return lanes * (2 * 4 * sizeof(T) + 2 * 4) + 64; }

    // The features `from`, ..., `to` - 1 of the active ones as second tests of the roots in one vector of
    // lanes; `cells(i)` are those of feature i in the smaller child.
    template <class Cells>
    void evaluate(int vector, int from, int to, Cells&& cells) {
        const std::size_t stride = static_cast<std::size_t>(frame.stride);
        const T* table = static_cast<const T*>(problem.table) + vector * kLanes<T>;
        ColumnExtremes<T> small = extremes[2 * vector], large = extremes[2 * vector + 1];
        for (int a = from; a < to; ++a) {
            const std::size_t i = static_cast<std::size_t>(frame.active[a]);
            const Vec<T> x = cells(i);
            small.add(x, spread<T>(singles[0] + i));
            large.add(*vectors(table + i * stride) - x, spread<T>(singles[1] + i));
        }
        extremes[2 * vector] = small;
        extremes[2 * vector + 1] = large;
    }

    // The best benefit of a tree with two levels, in cost units. Roots in idle lanes have no rows: their
    // trees are those of the second test alone, which is no mistake.
    ChildBenefits best(std::size_t lanes) const {
        ChildBenefits found{{best_of(0, lanes), best_of(1, lanes)}, {0, 0}};
        for (int child = 0; child < 2 && problem.sizes; ++child) found.two[child] = best_of_two(child, lanes);
        return found;
    }

private:
    typedef typename Doubled<T>::Type Number;

    double best_of(int child, std::size_t lanes) const {
        return problem.model->branch_cost == 0 ? problem.model->ticks * best_full(child, lanes)
                                               : best_priced(child, lanes);
    }

    // `use(right, left, c, d)` for every root: benefits of the best splits of its sides, and differences of
    // the sides themselves.
    template <class Use>
    void each_root(int child, std::size_t lanes, Use&& use) const {
        constexpr std::size_t kCount = static_cast<std::size_t>(kLanes<T>);
        const T* single = static_cast<const T*>(problem.singles[child]);
        for (std::size_t v = 0; v < lanes / kCount; ++v) {
            alignas(kVectorBytes) T of[4][kCount];
            const ColumnExtremes<T>& column = extremes[2 * v + static_cast<std::size_t>(child)];
            *vectors(of[0]) = column.most_x;
            *vectors(of[1]) = column.least_x;
            *vectors(of[2]) = column.most_y;
            *vectors(of[3]) = column.least_y;
            for (std::size_t l = 0; l < kCount; ++l) {  // no number is larger than that of all rows
                const Number c = single[v * kCount + l], d = static_cast<Number>(problem.totals[child] - c);
                use(larger<Number>(static_cast<Number>(2 * of[0][l] - c),
                                   static_cast<Number>(c - 2 * of[1][l])),
                    larger<Number>(static_cast<Number>(2 * of[2][l] - d),
                                   static_cast<Number>(d - 2 * of[3][l])),
                    c, d);
            }
        }
    }

    // Splits are worth no less than leaves (zero is among the extremes), so that full trees are the best
    // ones.
    Number best_full(int child, std::size_t lanes) const {
        Number most = 0;
        each_root(child, lanes, [&](Number right, Number left, Number, Number) {
            most = larger<Number>(most, static_cast<Number>(right + left));
        });
        return most;
    }

    double best_priced(int child, std::size_t lanes) const {
        const double ticks = problem.model->ticks, branch = problem.model->branch_cost;
        double most = 0;
        each_root(child, lanes, [&](Number right, Number left, Number c, Number d) {
            const double on_right = larger<double>(ticks * magnitude<int>(c), ticks * right - branch);
            const double on_left = larger<double>(ticks * magnitude<int>(d), ticks * left - branch);
            most = larger<double>(most, on_right + on_left - branch);
        });
        return most;
    }

    // One side of the root is split, the other one a leaf.
    double best_of_two(int child, std::size_t lanes) const {
        const double ticks = problem.model->ticks, branch = problem.model->branch_cost;
        if (branch == 0) {
            Number most = 0;
            each_root(child, lanes, [&](Number right, Number left, Number c, Number d) {
                const auto on_right = static_cast<Number>(right + magnitude<Number>(d));
                const auto on_left = static_cast<Number>(left + magnitude<Number>(c));
                most = larger<Number>(most, larger<Number>(on_right, on_left));
            });
            return ticks * most;
        }
        double most = 0;
        each_root(child, lanes, [&](Number right, Number left, Number c, Number d) {
            const double leaf_right = ticks * magnitude<int>(c), leaf_left = ticks * magnitude<int>(d);
            const double on_right = larger<double>(leaf_right, ticks * right - branch) + leaf_left;
            const double on_left = larger<double>(leaf_left, ticks * left - branch) + leaf_right;
            most = larger<double>(most, larger<double>(on_right, on_left) - branch);
        });
        return most;
    }
};

// The active features of each tile's block, which are counted and evaluated together.
struct ActiveRange {
    int begin, end;
    int used;  // lanes of the block up to its last active one
};

inline ActiveRange active_in(const Frame& frame, int begin, int block, int lanes) {
    ActiveRange range{begin, begin, 0};
    while (range.end < frame.n_active && frame.active[range.end] < (block + 1) * lanes) ++range.end;
    if (range.end > begin) range.used = frame.active[range.end - 1] - block * lanes + 1;
    return range;
}

#if STREED_VECTOR_BYTES == 64
#include "kernels/children/wide.hpp"
#else
#include "kernels/children/bytes.hpp"
#endif
