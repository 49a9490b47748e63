/**
 * The layout of the array `scalars` that an optimiser kernel reads: SCALARS_LENGTH float32 numbers per parameter group.
 * These numbers are the same for every optimiser; numbers 2 to 9 are its own, and the head of each kernel lists them.
 *
 * ```
 * 0   lr
 * 1   weightDecay
 * 10  decay = 1 - lr * weightDecay, of all that may decouple it
 * 14  skip (1 or 0), written on the device by a GradScaler that skips the step
 * 15  maximize (1 or 0)
 * ```
 */
export const SCALARS_LENGTH = 16;

export const LR = 0;
export const WEIGHT_DECAY = 1;
export const DECAY = 10;
export const SKIP = 14;
export const MAXIMIZE = 15;
