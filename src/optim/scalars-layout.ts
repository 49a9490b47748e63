/**
 * The layout of the array `scalars` that an optimiser kernel reads: SCALARS_LENGTH float32 numbers per parameter group.
 * Rows with a name are the same for every optimiser; the head of each kernel lists the others.
 *
 * ```
 * index  SGD             Adam, AdamW        RMSprop    Adagrad
 * 0      lr              lr                 lr         lr
 * 1      weightDecay     weightDecay        ...        ...
 * 2      momentum        beta1              alpha      stepSize
 * 3      bufferFactor    1 - beta1          1 - alpha  eps
 * 4      gradientFactor  beta2              momentum
 * 5                      1 - beta2          eps
 * 6                      stepSize
 * 7                      sqrt(1 - beta2^t)
 * 8                      eps
 *
 * index  Adadelta  Adamax     NAdam           RAdam
 * 0      lr        lr         lr              lr
 * 1      ...       ...        ...             ...
 * 2      rho       beta1      beta1           beta1
 * 3      1 - rho   1 - beta1  1 - beta1       1 - beta1
 * 4      eps       beta2      beta2           beta2
 * 5                stepSize   1 - beta2       1 - beta2
 * 6                eps        gradientFactor  1 - beta1^t
 * 7                           momentFactor    sqrt(1 - beta2^t)
 * 8                           eps             eps
 * 9                           1 - beta2^t     rectification, 0: none
 *
 * 10     decay = 1 - lr * weightDecay, of all that may decouple it
 * 14     skip (1 or 0), of all; written on the device by a GradScaler that skips the step
 * 15     maximize (1 or 0), of all
 * ```
 */
export const SCALARS_LENGTH = 16;

export const LR = 0;
export const WEIGHT_DECAY = 1;
export const DECAY = 10;
export const SKIP = 14;
export const MAXIMIZE = 15;
