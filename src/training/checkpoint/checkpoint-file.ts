/**
 * The two files of a checkpoint: <name>.safetensors is the model's state_dict, <name>.state.safetensors has everything
 * else that a later step depends on. A value that is equal on all devices is stored once. Optimiser states have torch's
 * numbers and names (`state.0.exp_avg`), generators torch's bytes. This file writes checkpoints; read-checkpoint.ts
 * reads them. Called by session.ts and run.ts.
 */
import { at, must } from '../../base/invariant';
import { type NamedTensor, readSafetensors, writeSafetensors } from '../../interop/safetensors';
import { muProducts } from '../../optim/nadam-product';
import { stateNames } from '../../optim/optimizer';
import { groupOf } from '../../optim/param-groups';
import { SKIPPED } from '../../parallel/scaler-buffers';
import { tensorOf } from '../../program/stored-tensor';
import { stepOf } from '../../protocol/micro-batches';
import type { CheckpointFiles } from '../../protocol/session';
import type { DeviceIndex } from '../../protocol/trace';
import { pieceOn, type ShardMap, wholeFrom } from '../../sharding/shard-map';
import { slice } from '../../sharding/slice';
import { rngState } from '../../tensor/rng-state';
import type { HostArray, Shape } from '../../tensor/shape';
import type { Blueprint } from '../blueprint';
import { weightsFile } from '../weights/weights-file';
import { type BufferValue, type Stateful, statefulBuffers } from '../world-state';
import type { Checkpoint } from './checkpoint';
import {
  batchTensors,
  type Checksums,
  FORMAT,
  headerSum,
  IN_MODEL,
  isOwn,
  LEFT_JOIN,
  ofDevice,
  REFERENCE_PREFIX,
  rankGeneratorTensor,
  type ValueMap,
  VERSION,
} from './checkpoint-format';
import { crc32 } from './crc32';
import { steppedParameters, type TorchGroups, torchGroups } from './torch-groups';

export function writeCheckpoint(blueprint: Blueprint, checkpoint: Checkpoint): CheckpointFiles {
  const { config, programs, parameters, rankOfDevice } = blueprint;
  const { microBatch, batches } = checkpoint;
  const steps = stepOf(microBatch, config);
  const updates = blueprint.optimizerStepsBefore(steps);
  const model = weightsFile(blueprint, {
    microBatch,
    devices: rankOfDevice.map((_, d) => ownOf(checkpoint.values, d)),
    reference: undefined,
  });
  const inModel = readSafetensors('', model);
  const groups = torchGroups(
    config,
    parameters.map((p) => p.name),
    updates,
    batches.epoch,
  );
  const world = pack(checkpoint.values, {
    inModel,
    buffers: statefulBuffers(programs),
    shards: blueprint.shards,
    groups,
    config,
    prefix: '',
  });
  const reference = pack(checkpoint.reference, {
    inModel,
    buffers: statefulBuffers(blueprint.reference),
    shards: blueprint.referenceShards,
    groups,
    config,
    prefix: REFERENCE_PREFIX,
  });
  const tensors = [
    ...numbersOfState(blueprint, groups, updates - skippedSteps(checkpoint)),
    ...world.tensors,
    ...reference.tensors,
    ...batchState(checkpoint),
  ];
  const meta = {
    format: FORMAT,
    version: VERSION,
    step: String(steps),
    micro_batch: String(microBatch),
    optimizer_steps: String(updates),
    epoch: String(batches.epoch),
    batches_per_epoch: String(blueprint.batchesPerEpoch),
    mode: config.mode,
    placement: config.placement,
    world_size: String(rankOfDevice.length),
    processes: String(batches.generators.length),
    ...(batches.ofRanks ? { drawing_ranks: String(batches.ofRanks.length) } : {}),
    ...(blueprint.leavesJoin(microBatch - 1) ? { [LEFT_JOIN]: 'true' } : {}),
    param_groups: JSON.stringify(groups.groups),
    parameter_names: JSON.stringify(groups.names),
    config: JSON.stringify(config),
    values: JSON.stringify(world.values),
    twin_values: JSON.stringify(reference.values),
  };
  const checksums: Checksums = { model: sums(inModel), state: sums(tensors), header: headerSum(meta) };
  return { model, state: writeSafetensors(tensors, { ...meta, crc32: JSON.stringify(checksums) }) };
}

/** Steps that a GradScaler has skipped; the optimiser does not count them. */
const skippedSteps = ({ values }: Checkpoint): number => values.find(({ buffer }) => buffer === SKIPPED)?.data[0] ?? 0;

const sums = (tensors: readonly NamedTensor[]): Record<string, number> =>
  Object.fromEntries(tensors.map(({ name, data }) => [name, crc32(data)]));

const ownOf = (values: readonly BufferValue[], device: DeviceIndex): ReadonlyMap<string, Float32Array> =>
  new Map(values.filter((v) => v.device === device).map(({ buffer, data }) => [buffer, Float32Array.from(data)]));

/**
 * Numbers that torch keeps in each parameter's state and a run computes from the step: all optimisers but SGD count
 * steps, and NAdam keeps the product of its momentum factors.
 */
function numbersOfState({ config, programs }: Blueprint, { names }: TorchGroups, steps: number): NamedTensor[] {
  if (config.optimizer.type === 'SGD' || steps === 0) return [];
  const stepped = new Set(steppedParameters(config, names, statefulBuffers(programs)));
  const products = muProducts(config, steps);
  const number = (name: string, value: number): NamedTensor => ({ name, shape: [], data: Float32Array.of(value) });
  return names.flatMap((name, i) => {
    if (!stepped.has(name)) return [];
    const product = products[groupOf(name, config.paramGroups)];
    return [
      number(`state.${i}.step`, steps),
      ...(product === undefined ? [] : [number(`state.${i}.mu_product`, product)]),
    ];
  });
}

interface Packing {
  readonly inModel: readonly NamedTensor[];
  readonly buffers: readonly Stateful[];
  readonly shards: ShardMap;
  readonly groups: TorchGroups;
  readonly config: Blueprint['config'];
  readonly prefix: string;
}

/** A tensor of the files, and the devices that hold it or a piece of it. */
interface Packed {
  readonly name: string;
  readonly data: Float32Array;
  readonly devices: number[];
}

/**
 * Stores every tensor once. Tensors of the shard map are first assembled into whole tensors, without `@cuda:` in their
 * names, from which any world can take its own pieces. A device with different values has its own tensor beside.
 */
function pack(values: readonly BufferValue[], { inModel, buffers, shards, groups, config, prefix }: Packing) {
  const shapes = new Map<string, Shape>(
    buffers.map(({ device, spec }) => [`${device} ${spec.name}`, tensorOf(spec).shape]),
  );
  const states = stateNames(config);
  const torchNames = new Map(
    groups.names.flatMap((parameter, i) => states.map((state) => [`${parameter}.${state}`, `state.${i}.${state}`])),
  );
  const dataOf = new Map(values.map(({ device, buffer, data }) => [`${device} ${buffer}`, asFloats(data)]));
  const found = new Map<string, Packed[]>();
  const tensors: NamedTensor[] = [];
  for (const { buffer, device, data: host } of values) {
    const data = asFloats(host);
    const layout = shards.get(buffer);
    const held = found.get(buffer) ?? [];
    const add = (shape: Shape, added: Float32Array, own: string): Packed => {
      const inFile = inModel.some(
        (t) => t.name === buffer && t.data instanceof Float32Array && sameBits(t.data, added),
      );
      const name = inFile ? `${IN_MODEL}${buffer}` : `${prefix}${torchNames.get(buffer) ?? buffer}${own}`;
      if (!inFile) tensors.push({ name, shape, data: added });
      const packed = { name, data: added, devices: [] };
      held.push(packed);
      return packed;
    };
    if (!found.has(buffer)) {
      found.set(buffer, held);
      if (layout)
        add(
          layout.shape,
          wholeFrom(buffer, layout, (owner) => dataOf.get(`${owner} ${buffer}`)),
          '',
        );
    }
    const piece = layout && pieceOn(layout, device);
    const onDevice = (one: Packed): Float32Array =>
      layout && piece && !isOwn(one.name) ? slice(one.data, layout.shape, piece) : one.data;
    const same =
      held.find((one) => sameBits(onDevice(one), data)) ??
      // A value that differs between devices is named after the first device that holds it.
      add(must(shapes.get(`${device} ${buffer}`), buffer), data, held.length > 0 ? ofDevice(device) : '');
    same.devices.push(device);
  }
  const map: ValueMap = Object.fromEntries(
    [...found].map(([buffer, held]) => [buffer, Object.fromEntries(held.map(({ name, devices }) => [name, devices]))]),
  );
  return { tensors, values: map };
}

const asFloats = (data: HostArray): Float32Array => (data instanceof Float32Array ? data : Float32Array.from(data));

/** Compares bits, not numbers, to distinguish NaNs and signed zeros. */
export function sameBits(a: Float32Array, b: Float32Array): boolean {
  if (a.length !== b.length) return false;
  const [x, y] = [new Uint32Array(a.buffer, a.byteOffset, a.length), new Uint32Array(b.buffer, b.byteOffset, b.length)];
  for (let i = 0; i < x.length; i++) if (x[i] !== y[i]) return false;
  return true;
}

function batchState({ batches: { batches, generators, ofRanks = [] } }: Checkpoint): NamedTensor[] {
  const ranks = ofRanks.map((generator, rank): NamedTensor => {
    const state = rngState(generator);
    return { name: rankGeneratorTensor(rank), shape: [state.length], data: state };
  });
  const processes = generators.flatMap((generator, p) => {
    const names = batchTensors(p);
    const own = at(batches, p);
    const rows = new Int32Array(own.reduce((n, batch) => n + batch.length, 0));
    let offset = 0;
    for (const batch of own) {
      rows.set(batch, offset);
      offset += batch.length;
    }
    const sizes = Int32Array.from(own, (batch) => batch.length);
    const rng = rngState(generator);
    return [
      { name: names.rows, shape: [rows.length], data: rows },
      { name: names.sizes, shape: [sizes.length], data: sizes },
      { name: names.rng, shape: [rng.length], data: rng },
    ];
  });
  return [...processes, ...ranks];
}
