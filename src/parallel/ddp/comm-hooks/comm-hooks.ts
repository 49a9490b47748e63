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

const LATE: Readonly<Record<Exclude<HookName, 'allreduce'>, Part<CommHook>>> = {
  fp16Compress: new Part('fp16_compress_hook', async () => (await import('./fp16-compress')).fp16Compress),
  bf16Compress: new Part('bf16_compress_hook', async () => (await import('./bf16-compress')).bf16Compress),
  powerSGD: new Part('powerSGD_hook', async () => (await import('./power-sgd/power-sgd')).powerSGD),
  localSGD: new Part('post_localSGD_hook', async () => (await import('./local-sgd')).localSGD),
};
if (!globalThis.LOCKSTEP_SITE) await loadAll(Object.values(LATE));

/** Await this before any call asks for the hook of this configuration. */
export async function loadCommHook({ ddp }: HookSettings): Promise<void> {
  const { type } = ddp.commHook;
  if (type !== 'allreduce') await LATE[type].load();
}

export function commHookOf({ ddp }: HookSettings): CommHook {
  const { type } = ddp.commHook;
  return type === 'allreduce' ? allreduce : LATE[type].get();
}

type HookSettings = Pick<Config, 'ddp'>;

/** The operators of communication hooks that compute something. */
const OPS_OF_HOOK = {
  allreduce: [],
  localSGD: [],
  fp16Compress: ['halves'],
  bf16Compress: ['halves'],
  powerSGD: ['lowRank', 'matmul'],
} as const satisfies Record<HookName, unknown>;

/** The ranks add the halves of a model in bfloat16. */
export const opFamiliesOfHook = ({ ddp, precision }: Config) =>
  modelHalf(precision) ? (['halves'] as const) : OPS_OF_HOOK[ddp.commHook.type];
