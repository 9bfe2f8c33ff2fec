"""Elementary functions without branches or calls, so that the compiler can vectorise them.

The CPU engine puts this module in the place of ``np`` when it compiles a loss: Numba's own
``exp`` and ``log`` are calls into the C library, which keep a loop scalar (5 ns a call here
against 1 ns). Each function agrees with NumPy's to two units in the last place; what is not
defined here is NumPy's own.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ordinate._compiler import njit

_inline = njit(nogil=True, error_model="numpy", fastmath={"contract"}, forceinline=True)

_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_LOG2_E = 1.4426950408889634
_ROUND = 6755399441055744.0  # 1.5 · 2**52: adding it leaves the nearest integer in the low bits
_SMALLEST, _LARGEST = -708.0, 709.0  # where exp leaves the normal numbers
_HALF_SQRT2_BITS = 0x3FE6A09E667F3BCD
_EXPONENT_MASK = -(2**52)
_EXPM1_TERMS = tuple(1.0 / math.factorial(k) for k in range(13, 0, -1))
_LOG_TERMS = tuple(2.0 / k for k in range(21, 1, -2))


@_inline
def _exp_parts(x: Any) -> Any:
    """Split exp(x) into 2**k and exp(r) − 1 with |r| ≤ log(2) / 2."""
    shifted = x * _LOG2_E + _ROUND
    k = shifted - _ROUND
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    fraction = 0.0
    for term in _EXPM1_TERMS:
        fraction = fraction * r + term
    bits = (np.float64(shifted).view(np.int64) + np.int64(1023)) << np.int64(52)
    return np.int64(bits).view(np.float64), fraction * r


@_inline
def where(condition: Any, if_true: Any, if_false: Any) -> Any:
    """Choose one of two scalars."""
    return if_true if condition else if_false


@_inline
def exp(x: Any) -> Any:
    """Exponential; 0 below -708 and infinite above 709."""
    scale, fraction = _exp_parts(x)
    result = scale + scale * fraction
    result = result if x > _SMALLEST else 0.0
    return result if x < _LARGEST else np.inf


@_inline
def expm1(x: Any) -> Any:
    """Exponential minus one, exact near zero."""
    scale, fraction = _exp_parts(x)
    result = (scale - 1.0) + scale * fraction
    result = result if x > _SMALLEST else -1.0
    return result if x < _LARGEST else np.inf


@_inline
def log(x: Any) -> Any:
    """Natural logarithm of a positive normal number."""
    bits = np.float64(x).view(np.int64)
    exponent_bits = (bits - np.int64(_HALF_SQRT2_BITS)) & np.int64(_EXPONENT_MASK)
    k = np.float64(exponent_bits >> np.int64(52))
    f = np.int64(bits - exponent_bits).view(np.float64) - 1.0
    s = f / (2.0 + f)
    z = s * s
    tail = 0.0
    for term in _LOG_TERMS:
        tail = tail * z + term
    return k * _LN2_HIGH + (f - (s * (f - z * tail) - k * _LN2_LOW))


@_inline
def log1p(x: Any) -> Any:
    """Logarithm of 1 + x for x > -1, exact near zero."""
    u = 1.0 + x
    return log(u) + (x - (u - 1.0)) / u


def __getattr__(name: str) -> Any:
    return getattr(np, name)
