/**
 * TensorFlow.js on one of its backends. WASM uses SIMD if the machine has SIMD, and threads only on pages that are
 * cross-origin isolated; pages of a plain host are not.
 */
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import * as tf from '@tensorflow/tfjs-core';
import type { Contender } from '../contender';

export async function openBackend(backend: Contender['backend']): Promise<void> {
  if (backend === 'webgpu') await import('@tensorflow/tfjs-backend-webgpu');
  else if (backend === 'cpu') await import('@tensorflow/tfjs-backend-cpu');
  else await loadWasm();
  if (!(await tf.setBackend(backend))) throw new Error(`TensorFlow.js found no ${backend} backend`);
  await tf.ready();
}

async function loadWasm(): Promise<void> {
  const [{ setWasmPaths }, plain, simd, threaded] = await Promise.all([
    import('@tensorflow/tfjs-backend-wasm'),
    import('@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm.wasm?url'),
    import('@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url'),
    import('@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-threaded-simd.wasm?url'),
  ]);
  setWasmPaths({
    'tfjs-backend-wasm.wasm': plain.default,
    'tfjs-backend-wasm-simd.wasm': simd.default,
    'tfjs-backend-wasm-threaded-simd.wasm': threaded.default,
  });
}
