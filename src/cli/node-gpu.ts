/** Opens Dawn if the requested device may need it. */
import { LockstepError } from '../base/errors';
import { openDawn } from './dawn';

export async function nodeGpu(device: unknown): Promise<GPU | undefined> {
  if (device === 'cpu') return undefined;
  const { gpu, problem } = await openDawn();
  if (gpu === undefined && device === 'webgpu')
    throw new LockstepError(
      'no-webgpu',
      `Dawn for Node cannot be loaded: ${problem}`,
      'Run npm install, or use --device cpu.',
    );
  return gpu;
}
