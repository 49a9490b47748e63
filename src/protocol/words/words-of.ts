/**
 * The words of any place in the schema. A place names its variant: 'optimizer.SGD.lr'. This file imports all tables, so
 * only the command line and tests import it; a panel imports the table of its own part.
 */
import { lookup } from '../../base/lookup';
import { BAR } from './bar';
import { DATA } from './data';
import { DDP, HOOK } from './ddp';
import { DDP_MAIN } from './ddp-main';
import { GRAD_SCALER } from './grad-scaler';
import { LAYER, LAYER_OWN } from './layers';
import { LOSS } from './loss';
import { OPTIMIZER, PARAM_GROUP } from './optimizer';
import { PARAMETER_SERVER } from './parameter-server';
import { MODEL, MODEL_PARALLEL, STRAGGLER } from './parts';
import { MESH, PIPELINE } from './pipeline';
import { RUN } from './run';
import { SCHEDULER } from './scheduler';
import type { Setting } from './setting';
import { SHARDED } from './sharded';
import { STYLE, TENSOR } from './tensor';

const TOP = { ...BAR, ...RUN };
const TYPE = { title: 'Type', description: 'Which of the variants this is.' };

/** If two prefixes fit, the longer one is first. */
const PARTS: readonly (readonly [path: string, table: Readonly<Record<string, Setting>>])[] = [
  ['ddp.commHook', HOOK],
  ['model.layers', LAYER],
  ['data', DATA],
  ['ddp', { ...DDP, ...DDP_MAIN }],
  ['gradScaler', GRAD_SCALER],
  ['loss', LOSS],
  ['mesh', MESH],
  ['model', MODEL],
  ['modelParallel', MODEL_PARALLEL],
  ['optimizer', OPTIMIZER],
  ['paramGroups', PARAM_GROUP],
  ['parameterServer', PARAMETER_SERVER],
  ['pipeline', PIPELINE],
  ['scheduler', SCHEDULER],
  ['sharded', SHARDED],
  ['stragglers', STRAGGLER],
  ['tensor.plan', STYLE],
  ['tensor', TENSOR],
];

/** All words, for the test that none is unused. */
export const ALL_WORDS: readonly Setting[] = [
  RUN,
  ...PARTS.map(([, table]) => table),
  ...Object.values(LAYER_OWN),
].flatMap((table) => Object.values(table));

export function wordsOf(place: string): Pick<Setting, 'title' | 'description'> | undefined {
  const names = place.split('.');
  const name = names.at(-1) ?? '';
  if (names.length === 1) return lookup(TOP, name);
  if (name === 'type') return TYPE;
  const [path, table] = PARTS.find(([part]) => place.startsWith(`${part}.`)) ?? [];
  if (!table) return undefined;
  const own = path === 'model.layers' ? lookup(LAYER_OWN, names.at(-2) ?? '') : undefined;
  return lookup(own, name) ?? lookup(table, name);
}
