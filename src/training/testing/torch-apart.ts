/**
 * Holds what train.py of an exported run reports against Lockstep's own run: losses of every rank, and final weights.
 */

import { at } from '../../base/invariant';
import { modulesOf } from '../../graph/partition/styles';
import { readSafetensors } from '../../interop/safetensors';
import type { Config } from '../../protocol/config';

/** Of a loss, or of a weight: the rounding of some steps in float32. */
const BAR = 1e-5;

export interface TorchReport {
  readonly engine: { readonly version: string };
  readonly losses: readonly { readonly microBatch: number; readonly perRank: readonly (number | null)[] }[];
  /** Absent: it failed. */
  readonly weights?: Readonly<Record<string, { readonly float32: string }>>;
}

export interface LossRecord {
  readonly microBatch: number;
  readonly perRank: readonly number[];
}

/** As README.md of the export says: on the CPU nn.DataParallel does not split a batch, for batch norm and dropout. */
export const differsByNature = ({ mode, model }: Config): boolean =>
  mode === 'dataParallel' && /BatchNorm|Dropout|"dropout":0\.[1-9]/.test(JSON.stringify(model));

const distance = (a: number, b: number): number => Math.abs(a - b) / Math.max(1, Math.abs(b));

/** In words, what of the losses is beyond the bar. */
export function lossesApart(
  { losses }: TorchReport,
  own: readonly LossRecord[],
  ranks: number | undefined,
  bar = BAR,
): readonly string[] {
  const places = [losses, own].map((rows) => rows.map(({ microBatch }) => microBatch).join());
  if (places[0] !== places[1]) return [`micro-batches ${places[0]}, not ${places[1]}`];
  return losses.flatMap(({ perRank }, i) => {
    const expected = at(own, i).perRank.slice(0, ranks);
    if (perRank.length !== expected.length)
      return [`${perRank.length} losses of micro-batch ${i}, not ${expected.length}`];
    return expected.flatMap((loss, rank) => {
      const theirs = perRank[rank] ?? Number.NaN;
      const same = Number.isNaN(loss) ? Number.isNaN(theirs) : distance(theirs, loss) <= bar;
      return same ? [] : [`loss ${i} of rank ${rank}: ${theirs}, not ${loss}`];
    });
  });
}

export function weightsApart(
  { weights = {} }: TorchReport,
  own: Uint8Array<ArrayBuffer>,
  { mode, model: { layers }, checkpointSegments }: Config,
  bar = BAR,
): readonly string[] {
  const shifted = new Set(
    modulesOf(layers).flatMap(({ path, layer }, i, modules) =>
      layer.type.startsWith('BatchNorm')
        ? [
            `${modules[i - 1]?.path}.bias`,
            `${path}.running_mean`,
            // torch's checkpointing runs the forward pass, and with it batch norm, once more; a stage of a pipeline
            // once at its start, to learn shapes.
            ...(checkpointSegments === undefined && mode !== 'pipeline'
              ? []
              : [`${path}.running_var`, `${path}.num_batches_tracked`]),
          ]
        : [],
    ),
  );
  return readSafetensors('', own).flatMap(({ name, data }) => {
    if (shifted.has(name)) return [];
    const text = weights[name]?.float32;
    if (text === undefined) return [`no ${name}`];
    const theirs = new Float32Array(new Uint8Array(Buffer.from(text, 'base64')).buffer);
    const far = Math.max(
      0,
      ...theirs.map((value, k) => (isOfKeys(name, k, data.length) ? 0 : distance(value, Number(data[k])))),
    );
    return far <= bar ? [] : [`${name} is ${far} off`];
  });
}

/**
 * Biases of an attention's keys: the softmax takes no notice of them, so their gradients are nothing but rounding,
 * which Adam and its relatives scale up to whole steps. It is the same with a bias before a batch norm.
 */
const isOfKeys = (name: string, k: number, length: number): boolean =>
  /(qkv\.bias|in_proj_bias)$/.test(name) && k >= length / 3 && k < (2 * length) / 3;
