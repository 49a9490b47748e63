/**
 * Loads the check that refuses models too large for the page or machine. load-parts.ts and create-training.ts load it
 * only for large models.
 */
import { Part } from '../base/part';
import type { Config } from '../protocol/config';
import { parameterCount } from '../shapes/parameters';

export const HOST_MEMORY = new Part('The check of large models', () => import('./check-host-memory'));
if (!globalThis.LOCKSTEP_SITE) await HOST_MEMORY.load();

/** Smaller models fit everywhere, even if each of 64 ranks draws its own. */
const LARGE = 2 ** 23;
/** MiB over all devices, on the CPU, that every page can hold. */
export const LARGE_MB = 1536;

export const isLarge = ({ model }: Config): boolean =>
  model.layers.reduce((sum, layer) => sum + parameterCount(layer), 0) > LARGE;
