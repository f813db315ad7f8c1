// The losses that the kernels know. To add one, include its file and name its struct; leaf_models.hpp has the
// recipe. Included within a namespace by kernels/body.hpp, once per instruction set, and by rows.cpp.
#include "leaves/native/squares.hpp"
#include "leaves/native/log_ratio.hpp"
#include "leaves/native/class_shares.hpp"

using NativeLosses = LossList<Squares, LogRatio, ClassShares>;
