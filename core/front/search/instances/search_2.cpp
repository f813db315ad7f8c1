// The front search for 2 components.
#include "front/search/search_impl.hpp"

template class streed::FrontSearch<2>;
