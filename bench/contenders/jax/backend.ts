/** jax-js on one of its backends; from then on every array of the page lives there. */
import { defaultDevice, init } from '@jax-js/jax';
import type { Contender } from '../contender';

export async function openBackend(backend: Contender['backend']): Promise<void> {
  if (!(await init(backend)).includes(backend)) throw new Error(`jax-js found no ${backend} backend`);
  defaultDevice(backend);
}
