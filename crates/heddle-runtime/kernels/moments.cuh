// Number, mean and sum of squared deviations of some elements, as partials of a
// reduction keep them.

struct Moments {
    double count;
    double mean;
    double squares;
};
