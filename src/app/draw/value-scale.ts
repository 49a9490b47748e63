/**
 * The one scale for values: every heat map, tile and packet colours a number by it, so that equal colours are equal
 * values wherever they stand. Symmetric and logarithmic beyond a thousandth, because weights near 1 and gradients near
 * 0.001 share the picture.
 */
import { scaleSymlog } from 'd3-scale';

export const VALUE_LIMIT = 2;
const LINEAR_BELOW = 0.002;

const symlog = scaleSymlog().constant(LINEAR_BELOW).domain([-VALUE_LIMIT, VALUE_LIMIT]).range([-1, 1]).clamp(true);

/** -1..1 for the palette's diverging ramp; NaN stays NaN. */
export const scaleValue = (value: number): number => (Number.isNaN(value) ? value : symlog(value));
