/**
 * Reads a report from JSON text or from an object. Errors name their place in the file. Called by the command line and
 * by the page.
 */
import * as v from 'valibot';
import { brief } from '../base/brief';
import { LockstepError } from '../base/errors';
import { tooMuchOf } from '../base/reading-bounds';
import type { AnyReport, HistoryRow, LossRow, ReportTensor, Sample } from './any-report';
import { parseLooseJson } from './loose-json';
import { type ReportInput, reportSchema } from './report-schema';

/** Longer texts are near the maximum length of a JavaScript string. */
export const MOST_BYTES = 400 * 2 ** 20;
const MOST_LOSSES = 10_000_000;

const HINT =
  '`lockstep schema --report` prints what a report may contain; {"losses": [0.69, 0.61]} is a complete report.';

export function parseReport(text: string, name: string): AnyReport {
  if (text.length > MOST_BYTES)
    throw refusal(
      name,
      `has ${text.length.toLocaleString('en')} characters, more than ${MOST_BYTES.toLocaleString('en')}`,
    );
  if (text.trim() === '') throw refusal(name, 'is empty');
  let value: unknown;
  try {
    // Some editors write a byte order mark first.
    value = parseLooseJson(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw refusal(name, `is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const tooMuch = tooMuchOf(value, text.length);
  if (tooMuch !== undefined) throw refusal(name, `cannot be read: ${tooMuch}`);
  return readReport(value, name);
}

/** Reads a value from JSON.parse; `name` is the report's name in sentences. */
export function readReport(value: unknown, name: string): AnyReport {
  if (Array.isArray(value)) throw refusal(name, 'holds a list, not an object with `losses`');
  const parsed = v.safeParse(reportSchema, value, { abortEarly: true });
  if (!parsed.success) throw refusal(name, complaint(parsed.issues[0]));
  const report = parsed.output;
  if (report.losses.length > MOST_LOSSES)
    throw refusal(name, `has ${report.losses.length.toLocaleString('en')} losses, more than ${MOST_LOSSES}`);
  const { config, history, bytes, memory, pipeline, time } = report;
  return {
    name,
    madeBy: madeBy(report),
    engineVersion: report.engine?.version,
    config,
    losses: report.losses.map((row, index) => lossRow(row, index)),
    weights: report.weights && mapOf(report.weights, (tensor, key) => readTensor(tensor, key, name)),
    hashes: report.parametersSha256 && mapOf(report.parametersSha256, (hash) => hash),
    history: history?.map(historyRow),
    payload: bytes?.payloadPerStep && mapOf(bytes.payloadPerStep, (value) => value),
    memory: memory?.flatMap(({ peakBytes }) => (typeof peakBytes === 'number' ? [peakBytes] : [])),
    pipeline: pipeline && {
      bubble: pipeline.bubble?.counted ?? undefined,
      peaks: pipeline.peakActivations?.counted?.filter((peak) => peak !== null) ?? [],
    },
    stepsPerSecond: time?.measuredStepsPerSecond ?? undefined,
  };
}

const refusal = (name: string, what: string): LockstepError =>
  new LockstepError('data', `${brief(name)} cannot be compared: it ${what}.`, HINT, { file: name });

/** 'has losses.1, which must be a number ..., not "a"'. */
function complaint(issue: v.BaseIssue<unknown>): string {
  const place = v.getDotPath(issue);
  if (place === null) return `must be ${issue.message}`;
  if (issue.input === undefined) return `has no ${brief(place, 80)}`;
  return `has ${brief(place, 80)}, which must be ${issue.message}, not ${brief(JSON.stringify(issue.input), 40)}`;
}

function madeBy({ engine, lockstep }: ReportInput): string {
  if (!engine) return lockstep === undefined ? '' : `Lockstep ${brief(lockstep)}`;
  const { name = 'another program', version, device, backend } = engine;
  const where = [device, backend].filter((part) => part !== undefined).join(', ');
  return brief([name, version, where && `on ${where}`].filter(Boolean).join(' '), 80);
}

const finite = (value: number | null | undefined): number => value ?? Number.NaN;

function lossRow(row: ReportInput['losses'][number], index: number): LossRow {
  if (row === null || typeof row === 'number')
    return { step: index, microBatch: index, epoch: -1, loss: finite(row), perRank: [] };
  const { loss, step, microBatch, epoch, perRank } = row;
  return {
    step: step ?? microBatch ?? index,
    microBatch: microBatch ?? step ?? index,
    epoch: epoch ?? -1,
    loss: finite(loss),
    perRank: (perRank ?? []).map(finite),
  };
}

const WRAPPED = 'module.';

/** A map by name; removes the `module.` that DistributedDataParallel and DataParallel put before every name. */
function mapOf<T, U>(object: Readonly<Record<string, T>>, read: (value: T, key: string) => U): ReadonlyMap<string, U> {
  const entries = Object.entries(object);
  const wrapped = entries.length > 0 && entries.every(([key]) => key.startsWith(WRAPPED));
  return new Map(entries.map(([key, value]) => [wrapped ? key.slice(WRAPPED.length) : key, read(value, key)]));
}

type TensorInput = NonNullable<ReportInput['weights']>[string];

function readTensor(tensor: TensorInput, key: string, name: string): ReportTensor {
  const { shape } = tensor;
  const values =
    typeof tensor.float32 === 'string'
      ? fromBase64(tensor.float32, key, name)
      : Float64Array.from('values' in tensor ? (tensor.values as readonly (number | null)[]) : [], finite);
  const wanted = shape.reduce((product, size) => product * size, 1);
  if (wanted !== values.length)
    throw refusal(
      name,
      `has weights.${brief(key)} with ${values.length} values, but the shape [${brief(shape.join(', '))}]`,
    );
  return { shape, values };
}

function fromBase64(text: string, key: string, name: string): Float32Array {
  let bytes: string;
  try {
    bytes = atob(text);
  } catch {
    throw refusal(name, `has weights.${brief(key)} with a float32 that is not base64`);
  }
  if (bytes.length % 4 !== 0)
    throw refusal(
      name,
      `has weights.${brief(key)} with ${bytes.length} bytes, which is not a whole number of float32 values`,
    );
  const view = new DataView(new ArrayBuffer(bytes.length));
  for (let i = 0; i < bytes.length; i++) view.setUint8(i, bytes.charCodeAt(i));
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

function historyRow({ step, parameters, gradients }: NonNullable<ReportInput['history']>[number]): HistoryRow {
  const samples = (found: typeof parameters): ReadonlyMap<string, Sample> =>
    mapOf(found ?? {}, ({ norm, sample }) => ({ norm: finite(norm), values: sample.map(finite) }));
  return { step, parameters: samples(parameters), gradients: samples(gradients) };
}
