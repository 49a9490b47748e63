/**
 * The tuning of an adapter: the table for software adapters, or an earlier measurement of this adapter, or a new
 * measurement, which is stored. Called when an executor is opened.
 */
import { type KernelTuning, SOFTWARE_TUNING } from '../../../graph/kernel-tuning';
import type { OpTable } from '../../../graph/op';
import { lowerFor } from '../../../graph/workgroup-launches';
import type { OpenedDevice } from '../device';
import { pipelinesOf } from '../pipelines';
import { subgroupsAreFaster } from '../subgroups';
import { measureProducts } from './measure-products';
import type { TuningStore } from './tuning-store';

/** From then on, choices that have not been measured take their defaults. */
const MOST_MS = 2000;
/** The default of hardware: workgroup memory is fast there. */
const UNMEASURED = { ...SOFTWARE_TUNING.matmul, 'workgroup/product': 0.5 };

/**
 * `store`: keeps tunings between visits; the device object keeps its own tuning in any case. If measuring takes longer
 * than MOST_MS, only the device object keeps the tuning, so the next visit measures again. `now`: milliseconds.
 */
export async function chooseTuning(
  opened: OpenedDevice,
  shaders: Readonly<Record<string, string>>,
  store?: TuningStore,
  now: () => number = () => performance.now(),
): Promise<KernelTuning> {
  const { adapter, software } = opened.info;
  if (software) return SOFTWARE_TUNING;
  const known = (await opened.tunings.load(adapter)) ?? (await store?.load(adapter));
  const end = now() + MOST_MS;
  const isOver = () => now() >= end;
  const tuning = known ?? (await measured(opened, shaders, isOver));
  await opened.tunings.save(adapter, tuning);
  if (!known && !isOver()) await store?.save(adapter, tuning);
  return tuning;
}

async function measured(
  opened: OpenedDevice,
  shaders: Readonly<Record<string, string>>,
  isOver: () => boolean,
): Promise<KernelTuning> {
  const products = await measureProducts(opened.device, pipelinesOf(opened), shaders, isOver);
  const subgroups = !isOver() && (await subgroupsAreFaster(opened, shaders, isOver));
  return { matmul: UNMEASURED, largeTiles: false, ...products, workgroups: true, subgroups };
}

/** The same operators, lowered with the adapter's tuning. */
export const tunedOps = (ops: OpTable, tuning: KernelTuning): OpTable =>
  new Map([...ops].map(([name, op]) => [name, { ...op, lower: (types) => lowerFor(op, types, tuning) }]));
