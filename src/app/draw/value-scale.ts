/**
 * The one scale for values: every heat map, tile and packet colours a number by it, so that equal colours are equal
 * values wherever they stand. Symmetric and logarithmic beyond a thousandth, because weights near 1 and gradients near
 * 0.001 share the picture.
 */
export const VALUE_LIMIT = 2;
const LINEAR_BELOW = 0.002;

/** Linear up to LINEAR_BELOW, logarithmic beyond. */
const symlog = (value: number): number => Math.sign(value) * Math.log1p(Math.abs(value / LINEAR_BELOW));
const END = symlog(VALUE_LIMIT);

/** -1..1 for the palette's diverging ramp; NaN stays NaN. */
export const scaleValue = (value: number): number => Math.min(1, Math.max(-1, symlog(value) / END));
