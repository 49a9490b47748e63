/** The state of a GradScaler on a device, by the names of its buffers, each of one element. */
export const SCALE = 'scaler.scale';
/** Steps without an inf or a NaN since the scale has changed. */
export const GROWTH_TRACKER = 'scaler.growth_tracker';
/** 1: a gradient of this step has an inf or a NaN. */
export const FOUND_INF = 'scaler.found_inf';
/** Steps skipped so far. */
export const SKIPPED = 'scaler.skipped';
