/**
 * Runs ranks of user code in workers, for window.lockstep.spawn: checks the script's arguments before a worker starts.
 * Loaded at the first call.
 */
import * as v from 'valibot';
import { LockstepError } from '../base/errors';
import { lookup } from '../base/lookup';
import { type SpawnWorkersOptions, spawnWorkers } from '../distributed/launch/spawn-workers';
import { ALGORITHM_NAMES } from '../protocol/collective';
import { real, settings } from '../protocol/config/fields';

export type { SpawnWorkersOptions as SpawnOptions };

const optionsSchema = settings({
  backend: v.optional(v.string()),
  timeoutS: v.optional(real(0.001, 86_400)),
  algorithm: v.optional(v.picklist(ALGORITHM_NAMES)),
});

const EXAMPLE = "For example lockstep.spawn('https://example.org/train.js', 4, { backend: 'gloo', timeoutS: 30 }).";

/** `options`: the script's argument, of any type. */
export async function spawnRanks(module: unknown, nprocs: number | undefined, options: unknown): Promise<unknown[]> {
  const address = module instanceof URL ? module.href : module;
  if (typeof address !== 'string')
    throw new LockstepError(
      'config',
      `spawn(): the first argument must be the address of a module, not a ${typeof module}.`,
      EXAMPLE,
    );
  const read = v.safeParse(optionsSchema, options ?? {});
  if (!read.success) {
    const [issue] = read.issues;
    const key = issue.path?.map((item) => String(item.key)).join('.') ?? '';
    const known = Object.keys(optionsSchema.entries).join(', ');
    throw new LockstepError(
      'config',
      lookup(optionsSchema.entries, key) !== undefined
        ? `spawn(): the option ${key} is ${issue.received.slice(0, 60)}; expected ${issue.expected ?? 'another value'}.`
        : `spawn(): the options are ${known}; not ${(key || issue.received).slice(0, 60)}.`,
      EXAMPLE,
    );
  }
  const { backend, timeoutS, algorithm } = read.output;
  return spawnWorkers(address, nprocs, {
    ...(backend === undefined ? {} : { backend }),
    ...(timeoutS === undefined ? {} : { timeoutS }),
    ...(algorithm === undefined ? {} : { algorithm }),
  });
}
