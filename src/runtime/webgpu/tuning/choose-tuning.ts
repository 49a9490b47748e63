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

/** `store`: keeps tunings between visits; the device object keeps its own tuning in any case. */
export async function chooseTuning(
  opened: OpenedDevice,
  shaders: Readonly<Record<string, string>>,
  store?: TuningStore,
): Promise<KernelTuning> {
  const { adapter, software } = opened.info;
  if (software) return SOFTWARE_TUNING;
  const known = (await opened.tunings.load(adapter)) ?? (await store?.load(adapter));
  const tuning = known ?? (await measured(opened, shaders));
  await opened.tunings.save(adapter, tuning);
  if (!known) await store?.save(adapter, tuning);
  return tuning;
}

async function measured(opened: OpenedDevice, shaders: Readonly<Record<string, string>>): Promise<KernelTuning> {
  const products = await measureProducts(opened.device, pipelinesOf(opened), shaders);
  return { ...products, workgroups: true, subgroups: await subgroupsAreFaster(opened, shaders) };
}

/** The same operators, lowered with the adapter's tuning. */
export const tunedOps = (ops: OpTable, tuning: KernelTuning): OpTable =>
  new Map([...ops].map(([name, op]) => [name, { ...op, lower: (types) => lowerFor(op, types, tuning) }]));
