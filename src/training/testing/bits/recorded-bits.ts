/**
 * The recorded hashes (fixtures/bits.json), and how they are recorded: only on purpose, by an environment variable,
 * since a hash that changes means that runs have changed. Called by parity/bits.test.ts and bits.gpu.test.ts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Named } from './nets';

const file = new URL('../../fixtures/bits.json', import.meta.url);

interface Part {
  /** What computed: another software GPU may round otherwise. */
  readonly on: string;
  /** By the name of the configuration. */
  readonly bits: Readonly<Record<string, string>>;
}
export type RecordedBits = Readonly<Record<'cpu' | 'webgpu', Part>>;

export const recordedBits = (): RecordedBits => JSON.parse(readFileSync(file, 'utf8')) as RecordedBits;

export const RECORDING = process.env['LOCKSTEP_RECORD_BITS'] !== undefined;

export const CHANGED =
  'these bits are not the recorded ones: some change since then changes what this run computes. Find it; only if it ' +
  'is meant, record anew with LOCKSTEP_RECORD_BITS=1 (CONTRIBUTING.md)';

/** Writes what was found over one device's part; says in large letters how many runs have other bits than before. */
export function recordBits(
  device: 'cpu' | 'webgpu',
  on: string,
  runs: readonly Named[],
  found: ReadonlyMap<string, string>,
): void {
  const all = recordedBits();
  const before = new Map(Object.entries(all[device].bits));
  const names = runs.map(({ name }) => name).filter((name) => found.has(name));
  const bits = Object.fromEntries(names.map((name) => [name, found.get(name) ?? '']));
  writeFileSync(file, `${JSON.stringify({ ...all, [device]: { on, bits } }, null, 2)}\n`);
  const changed = names.filter((name) => before.has(name) && before.get(name) !== found.get(name));
  shout([
    `BITS RECORDED ANEW (${device}): ${changed.length} of ${before.size} known runs HAVE OTHER BITS than before.`,
    'A commit with such a change must say which computation it changes, and why.',
    ...changed.slice(0, 20).map((name) => `  ${name}`),
  ]);
}

export function shout(lines: readonly string[]): void {
  process.stderr.write(`\n${'*'.repeat(100)}\n${lines.join('\n')}\n${'*'.repeat(100)}\n`);
}
