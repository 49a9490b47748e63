/**
 * Records of a step for a report: samples of the new parameters and of the gradients that the optimizer used, assembled
 * from the pieces of all devices; and whole tensors. Read after the step, when `.grad` still holds the gradients that
 * optimizer.step() read. Called by headless-run.ts.
 */
import type { NamedTensor } from '../interop/safetensors';
import { SAMPLED_ELEMENTS, type StepRecord, type TensorRecord, type TensorSample } from '../protocol/report';
import type { Blueprint } from '../training/blueprint';
import type { Training } from '../training/training';
import { mergedWeights } from '../training/weights/merged-weights';

/** The record of step `step` (from 0), which the training has just finished. */
export async function stepRecord(training: StepSource, step: number): Promise<StepRecord> {
  const { blueprint } = training;
  // A checkpoint has `.grad`, too, because accumulated gradients are part of a run's state.
  const { microBatch, values } = await training.checkpoint();
  const merged = (suffix: string, parameters: Blueprint['parameters']) => {
    const devices = blueprint.rankOfDevice.map((_, device) => {
      const own = values.filter((value) => value.device === device && value.buffer.endsWith(suffix));
      return new Map(own.map(({ buffer, data }) => [withoutEnd(buffer, suffix), Float32Array.from(data)]));
    });
    const held = parameters.filter(({ name }) => devices.some((own) => own.has(name)));
    const wholes = mergedWeights({ ...blueprint, parameters: held }, { microBatch, devices, reference: undefined });
    return Object.fromEntries([...wholes].map(([name, whole]) => [name, sampleOf(whole)]));
  };
  // Backward never reaches a parameter that forward does not use, so no device has its `.grad`.
  return { step, parameters: merged('', blueprint.parameters), gradients: merged('.grad', blueprint.parameters) };
}

type StepSource = Pick<Training, 'blueprint' | 'checkpoint'>;

const withoutEnd = (name: string, suffix: string): string => name.slice(0, name.length - suffix.length);

/** See TensorSample. JSON has no non-finite numbers. */
export function sampleOf(values: ArrayLike<number>): TensorSample {
  const { length } = values;
  const count = Math.min(length, SAMPLED_ELEMENTS);
  let squares = 0;
  for (let i = 0; i < length; i++) squares += (values[i] ?? 0) ** 2;
  return {
    norm: finite(Math.sqrt(squares)),
    sample: Array.from({ length: count }, (_, i) => finite(values[Math.floor((i * length) / count)] ?? Number.NaN)),
  };
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** All tensors as float32, including counters. */
export const tensorRecords = (tensors: readonly NamedTensor[]): Readonly<Record<string, TensorRecord>> =>
  Object.fromEntries(
    tensors.map(({ name, shape, data }) => [name, { shape, float32: base64(Float32Array.from(data, Number)) }]),
  );

/** More arguments at once would overflow the stack. */
const CHUNK = 0x8000;

function base64(values: Float32Array): string {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  for (const [i, value] of values.entries()) view.setFloat32(4 * i, value, true);
  const bytes = new Uint8Array(view.buffer);
  let text = '';
  for (let start = 0; start < bytes.length; start += CHUNK)
    text += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  return btoa(text);
}
