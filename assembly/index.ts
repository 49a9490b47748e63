/** The kernels of the CPU device, as WebAssembly with 128-bit vectors. src/graph/vectors calls them. */
export { attend, attendBackward, attentionScratch } from './attention';
export { addBiasGrad, addParts, addWeightGrad, correlate, pad, roundSums, turnRows } from './conv';
export { maxPool2x2, maxPoolGrad } from './conv';
export { fuses } from './lanes';
export { gradSums, layerNorm, layerNormGradInput, layerNormGradParams } from './norm';
export { moments, normGradInput, scaleShift } from './norm';
export { adam, sgd, sgdMomentum } from './optim';
export { add, addColumns, allFinite, gelu, geluGrad, mul, relu, reluGrad } from './pointwise';
export { product } from './product';
