/**
 * A case of the fuzzer of `lockstep compare`: reads a damaged or a very costly report, compares it with an undamaged
 * report and with itself, and prints the comparison as text and as JSON.
 */
import fc from 'fast-check';
import { runConfig } from '../src/headless/run';
import { compareReports } from '../src/reports/compare-reports';
import { comparisonJson } from '../src/reports/comparison-json';
import { comparisonText } from '../src/reports/comparison-text';
import { parseReport } from '../src/reports/read-report';
import { anyFileOf, type DamagedFile, damaged } from './arbitraries/files';
import { GROWN_REPORTS, type GrownFile, grownReport } from './arbitraries/grown';
import { oddName } from './arbitraries/odd';
import { keepsPromise } from './promise';
import { checkPrinted } from './try-recordings';

const { report } = await runConfig(
  { device: 'cpu', steps: 3, data: { type: 'xor', samples: 16 }, mode: 'ddp', worldSize: 2, accumulate: 2 },
  {},
  { records: { history: 2, weights: true } },
);
const text = JSON.stringify(report);
const pytorch = JSON.stringify({
  engine: { name: 'pytorch', version: '1.13.0', device: 'cpu' },
  losses: [0.69, Number.NaN, { loss: 0.4, step: 2, microBatch: 2, perRank: [0.5, null] }],
  weights: { 'module.0.weight': { shape: [1, 2], values: [1, 2] }, '0.bias': { shape: [1], float32: 'AACAPw==' } },
  parametersSha256: { '0.weight': 'ab' },
  history: [{ step: 0, parameters: { '0.weight': { norm: 1, sample: [1, 0] } }, gradients: {} }],
  bytes: { payloadPerStep: { allReduce: 8 } },
  memory: [{ peakBytes: 100 }],
  pipeline: { schedule: 'gpipe', bubble: { counted: 0.2 }, peakActivations: { counted: [1, 2] } },
  time: { measuredStepsPerSecond: 3 },
}).replace('null', 'NaN');
const WHOLE = Object.fromEntries(
  Object.entries({ 'lockstep.json': text, 'pytorch.json': pytorch }).map(([name, json]) => [
    name,
    (): Uint8Array<ArrayBuffer> => new TextEncoder().encode(json),
  ]),
);

/** Replaces one value of the report; the numbers choose the place. */
interface Change {
  readonly way: readonly number[];
  readonly value: unknown;
}
export type ReportCase =
  | { readonly damaged: DamagedFile }
  | { readonly changed: { readonly name: string; readonly changes: readonly Change[] } }
  | { readonly grown: GrownFile };

const value = fc.oneof(
  fc.constantFrom(null, true, -1, 0, 1.5, 1e300, 2 ** 53, 1e15, '', [], {}, [[]], [null], { loss: 1 }, 'NaN'),
  oddName,
  fc.jsonValue({ maxDepth: 3 }),
);
export const anyReport: fc.Arbitrary<ReportCase> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ damaged: anyFileOf(Object.keys(WHOLE)) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      changed: fc.record({
        name: fc.constantFrom(...Object.keys(WHOLE)),
        changes: fc.array(fc.record({ way: fc.array(fc.nat(30), { minLength: 1, maxLength: 5 }), value }), {
          minLength: 1,
          maxLength: 4,
        }),
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ grown: grownReport }) },
);

function changed(object: unknown, [here, ...way]: readonly number[], put: unknown): unknown {
  if (here === undefined || typeof object !== 'object' || object === null) return put;
  const entries = Object.entries(object);
  const at = entries.length === 0 ? -1 : here % entries.length;
  const made = entries.map(([key, inner], k) => [key, k === at ? changed(inner, way, put) : inner] as const);
  return Array.isArray(object) ? made.map(([, inner]) => inner) : Object.fromEntries(made);
}

function textOf(given: ReportCase): string {
  if ('grown' in given) return GROWN_REPORTS[given.grown.how]?.(given.grown.bytes) ?? '';
  if ('damaged' in given) return new TextDecoder().decode(damaged(given.damaged, WHOLE));
  const { name, changes } = given.changed;
  const whole: unknown = JSON.parse(name === 'lockstep.json' ? text : pytorch.replaceAll('NaN', 'null'));
  return JSON.stringify(changes.reduce((now, { way, value: put }) => changed(now, way, put), whole));
}

export async function tryReport(given: ReportCase): Promise<void> {
  const own = textOf(given);
  const other =
    'grown' in given ? own.replace(/"losses":\[(1|\{)/, (_, first) => `"losses":[${first === '1' ? '2' : '{'}`) : text;
  await keepsPromise(() => {
    const [a, b] = [parseReport(own, 'a.json'), parseReport(other, 'b.json')];
    for (const comparison of [compareReports(a, b), compareReports(b, a), compareReports(a, a)]) {
      checkPrinted(comparisonText(comparison));
      JSON.stringify(comparisonJson(comparison));
    }
  }, own.length + other.length);
}
