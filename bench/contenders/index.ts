/** All contenders, in the order in which they take turns. Only the page of a library loads the library's code. */
import type { Contender } from './contender';
import { lockstepContenders } from './lockstep';

const tensorflow = (backend: Contender['backend'], title: string): Contender => ({
  id: `tensorflow-${backend}`,
  title,
  library: 'tensorflow',
  backend,
  product: async (work) => (await import('./tensorflow/product')).product(work, backend),
  training: async (work) => (await import('./tensorflow/trainer')).trainer(work, backend),
});

const jax = (backend: 'webgpu' | 'wasm', title: string): Contender => ({
  id: `jax-${backend}`,
  title,
  library: 'jax',
  backend,
  product: async (work) => (await import('./jax/product')).product(work, backend),
  training: async (work) => (await import('./jax/trainer')).trainer(work, backend),
});

export const CONTENDERS: readonly Contender[] = [
  ...lockstepContenders(),
  jax('webgpu', 'jax-js WebGPU'),
  jax('wasm', 'jax-js WASM'),
  tensorflow('webgpu', 'TensorFlow.js WebGPU'),
  tensorflow('wasm', 'TensorFlow.js WASM'),
  tensorflow('cpu', 'TensorFlow.js CPU'),
];
