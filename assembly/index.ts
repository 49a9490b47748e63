/** The kernels of the CPU device, as WebAssembly with 128-bit vectors. src/graph/vectors calls them. */
export { attend, attendBackward, attentionScratch } from './attention';
export { fold, scale, sumOfSquares } from './collective';
export { addParts, correlateImages, maxPool2x2, maxPoolGrad, weightGradParts } from './conv';
export { gelu, geluGrad, geluTanh, geluTanhGrad, silu, siluGrad } from './gated';
export { fuses } from './lanes';
export { crossEntropy, crossEntropyGrad } from './loss';
export { layerNorm, layerNormGradInput, layerNormGradParams } from './layer-norm';
export { batchNorm, batchNormGradInput, gradSums, moments } from './norm';
export { adam, sgd, sgdMomentum } from './optim';
export { add, addColumns, allFinite, mul, relu, reluGrad, sigmoid, sigmoidGrad, tanh, tanhGrad } from './pointwise';
export { product } from './product';
export { addRows, pickRows } from './rows';
