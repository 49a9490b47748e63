/**
 * The table of parallel modes (each has a folder and a row), and every operator that their Programs may use. Called by
 * the rooms that make a run (config, launch, training, headless).
 */

import { CodeTable, loadAll, Part } from '../base/part';
import { COMM_OPS, HALF_COPIES } from '../collectives/bucket-ops';
import type { OpDef, OpTable } from '../graph/op';
import { familyOfOp, loadOps, OP_FAMILIES, OPS, type OpFamily } from '../graph/op-table';
import { OPTIM_OPS } from '../optim/op-table';
import type { Program } from '../program/instruction';
import type { Mode } from '../protocol/config';
import { HALF_BITS } from '../tensor/half-bits-part';
import { dataParallel } from './data-parallel/mode';
import { ddp } from './ddp/mode';
import type { ParallelMode } from './mode';
import { modelParallel } from './model-parallel/mode';
import { parameterServer } from './parameter-server/mode';
import { pipeline } from './pipeline/mode';
import { sharded } from './sharded/mode';
import { single } from './single/mode';
import { tensor } from './tensor/mode';

export const PARALLEL_MODES: Readonly<Record<Mode, ParallelMode>> = {
  single,
  dataParallel,
  ddp,
  modelParallel,
  pipeline,
  sharded,
  tensor,
  parameterServer,
};

if (!globalThis.LOCKSTEP_SITE) await loadAll(Object.values(PARALLEL_MODES).map(({ listing }) => listing));

const rows = new CodeTable<OpDef>([OPS, OPTIM_OPS, COMM_OPS].flatMap((table) => [...table.values()]));

/** All operators of Programs whose families have been loaded. */
export const PROGRAM_OPS: OpTable = rows;

/** Families of operators that never occur in the graph of a model. */
const BESIDE_MODELS = {
  halves: new Part(
    'The operators of half precision',
    async () => (await import('../collectives/halves/half-ops')).HALF_OPS,
  ),
  sharded: new Part('The operators of shards', async () => (await import('./sharded/shard-ops')).SHARD_OPS),
  lowRank: new Part(
    'The operators of PowerSGD',
    async () => (await import('./ddp/comm-hooks/power-sgd/low-rank-ops')).LOW_RANK_OPS,
  ),
  optimizers: new Part('The optimisers', async () => (await import('../optim/late-ops')).LATE_OPTIM_OPS),
} as const;

export type ProgramOpFamily = OpFamily | keyof typeof BESIDE_MODELS;

const ofModels = (family: ProgramOpFamily): family is OpFamily => !Object.hasOwn(BESIDE_MODELS, family);

/** Families whose operators write halves. */
const WITH_HALVES: ReadonlySet<ProgramOpFamily> = new Set(['precision', 'halves', 'sharded']);

/**
 * Await this before code compiles (training/load-parts) or runs (runtime/launch) anything that needs these families.
 * Returns the families that it has loaded.
 */
export async function loadProgramOps(families: readonly ProgramOpFamily[]): Promise<readonly OpDef[]> {
  const besides = families.flatMap((family) => (ofModels(family) ? [] : [BESIDE_MODELS[family].load()]));
  const bits = families.some((family) => WITH_HALVES.has(family)) ? [HALF_BITS.load(), HALF_COPIES.load()] : [];
  const [[ofGraphs, ...tables]] = await Promise.all([
    Promise.all([loadOps(families.filter(ofModels)), ...besides]),
    ...bits,
  ]);
  const loaded = [...ofGraphs, ...tables.flatMap((table) => [...table.values()])];
  rows.extend(loaded);
  return loaded;
}

export const EVERY_FAMILY: readonly ProgramOpFamily[] = [...OP_FAMILIES, 'halves', 'lowRank', 'sharded', 'optimizers'];

/** Families by the prefix of their operators' names, if the two differ. */
const FAMILY_OF_PREFIX: ReadonlyMap<string, ProgramOpFamily> = new Map([
  ['optim', 'optimizers'],
  ['scaler', 'optimizers'],
  ['power-sgd', 'lowRank'],
  ['fsdp', 'sharded'],
]);

/** The family of an operator that is loaded on demand; for any other operator, the prefix of its name. */
export const familyOfProgramOp = (name: string): string => {
  const family = familyOfOp(name);
  return FAMILY_OF_PREFIX.get(family) ?? family;
};

/** The operators that these Programs compute with. */
export const opNamesOf = (programs: readonly Program[]): ReadonlySet<string> =>
  new Set(
    programs.flatMap(({ lanes }) =>
      lanes.flatMap(({ instructions }) => instructions.flatMap((each) => (each.kind === 'compute' ? [each.op] : []))),
    ),
  );

/** Loads the families of these Programs' operators. */
export async function loadOpsOf(programs: readonly Program[]): Promise<void> {
  const missing = [...opNamesOf(programs)].filter((name) => !rows.has(name));
  const wanted = new Set(missing.map(familyOfProgramOp));
  await loadProgramOps(EVERY_FAMILY.filter((family) => wanted.has(family)));
}

if (!globalThis.LOCKSTEP_SITE) await loadProgramOps(EVERY_FAMILY);
