// The front search for 4 components.
#include "front/search/search_impl.hpp"

template class streed::FrontSearch<4>;
