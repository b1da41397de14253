/* What codes of floats need besides the operators of C: with the results of Python, which the generated classes use. */
#include <math.h>

#include "expression.h"

double wl_float_modulo(double left, double right) {
    const double rest = fmod(left, right);
    if (rest == 0)
        return copysign(0, right);
    return (rest < 0) == (right < 0) ? rest : rest + right;
}

double wl_float_order(wl_integer left, double right) {
    const double beyond = 0x1p127;
    if (right != right)
        return right;
    if (right >= beyond || right < -beyond)
        return right < 0 ? 1 : -1;
    const wl_integer whole = (wl_integer)right;
    if (left != whole)
        return left < whole ? -1 : 1;
    const double part = right - (double)whole;
    return (part < 0) - (part > 0);
}
