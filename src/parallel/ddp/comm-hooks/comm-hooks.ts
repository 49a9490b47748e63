/**
 * The table of communication hooks: one file for each. To add one, add a row here and a variant in protocol/config/ddp.
 * Hooks other than the all-reduce in float32 are loaded only for runs that use them (training/load-parts).
 */
import { loadAll, Part } from '../../../base/part';
import type { Config } from '../../../protocol/config';
import { modelHalf } from '../../../protocol/half-of';
import { allreduce } from './allreduce';
import type { CommHook } from './comm-hook';

type HookName = Config['ddp']['commHook']['type'];

const LATE: Readonly<Record<Exclude<HookName, 'allreduce'> | 'bfloat16Model', Part<CommHook>>> = {
  fp16Compress: new Part('fp16_compress_hook', async () => (await import('./fp16-compress')).fp16Compress),
  bf16Compress: new Part('bf16_compress_hook', async () => (await import('./bf16-compress')).bf16Compress),
  powerSGD: new Part('powerSGD_hook', async () => (await import('./power-sgd/power-sgd')).powerSGD),
  localSGD: new Part('post_localSGD_hook', async () => (await import('./local-sgd')).localSGD),
  bfloat16Model: new Part('The all-reduce in bfloat16', async () => (await import('./bfloat16-model')).bfloat16Model),
};
if (!globalThis.LOCKSTEP_SITE) await loadAll(Object.values(LATE));

/** Await this before any call asks for the hook of this configuration. */
export async function loadCommHook(config: HookSettings): Promise<void> {
  const key = keyOf(config);
  if (key !== 'allreduce') await LATE[key].load();
}

export function commHookOf(config: HookSettings): CommHook {
  const key = keyOf(config);
  return key === 'allreduce' ? allreduce : LATE[key].get();
}

type HookSettings = Pick<Config, 'ddp' | 'precision'>;

function keyOf({ ddp, precision }: HookSettings): HookName | 'bfloat16Model' {
  const { type } = ddp.commHook;
  return type === 'allreduce' && modelHalf(precision) ? 'bfloat16Model' : type;
}

/** The operators of communication hooks that compute something. */
const OPS_OF_HOOK = {
  allreduce: [],
  bfloat16Model: ['halves'],
  localSGD: [],
  fp16Compress: ['halves'],
  bf16Compress: ['halves'],
  powerSGD: ['lowRank', 'matmul'],
} as const satisfies Record<HookName | 'bfloat16Model', unknown>;

export const opFamiliesOfHook = (config: Config) => OPS_OF_HOOK[keyOf(config)];
