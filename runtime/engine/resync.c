/* placeholder for compile */
#include "internal.h"
