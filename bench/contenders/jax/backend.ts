/** jax-js on one of its backends; all later arrays of the page are on this backend. */
import { defaultDevice, init } from '@jax-js/jax';
import type { Contender } from '../contender';

export async function openBackend(backend: Contender['backend']): Promise<void> {
  if (!(await init(backend)).includes(backend)) throw new Error(`jax-js found no ${backend} backend`);
  defaultDevice(backend);
}
