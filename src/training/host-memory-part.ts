/**
 * What refuses a model that the page or the machine cannot hold: fetched for large models alone, by load-parts.ts and
 * create-training.ts.
 */
import { Part } from '../base/part';
import type { Config } from '../protocol/config';
import { parameterCount } from '../shapes/parameters';

export const HOST_MEMORY = new Part('The check of large models', () => import('./check-host-memory'));
if (!globalThis.LOCKSTEP_SITE) await HOST_MEMORY.load();

/** Smaller models fit everywhere, also if each of 64 ranks draws one of its own. */
const LARGE = 2 ** 23;
/** MiB of all devices, on the CPU, that every page can hold. */
export const LARGE_MB = 1536;

export const isLarge = ({ model }: Config): boolean =>
  model.layers.reduce((sum, layer) => sum + parameterCount(layer), 0) > LARGE;
