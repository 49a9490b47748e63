/**
 * Counts the bytes that kernels read and write in one step of every preset, on one device and in DDP, with the kernels
 * for hardware and with those for software adapters, and writes the section of docs/benchmarks.md. A process of its
 * own, with the package `webgpu` beside it, started by scripts/costs.mjs: `node traffic.mjs FILE [WORD…]` writes the
 * text to FILE, only for runs whose titles contain all the words.
 */
import { writeFileSync } from 'node:fs';
import { create, globals } from 'webgpu';
import { countStep } from '../src/bench/traffic/count-step';
import { FAMILY_HEAD, familyLines, rowsOf, type TrafficRow, trafficTable } from '../src/bench/traffic/traffic-tables';
import { type KernelTuning, SOFTWARE_TUNING } from '../src/graph/kernel-tuning';
import { PRESETS } from '../src/protocol/presets';

const [, , file = 'traffic.md', ...words] = process.argv;
Object.assign(globalThis, globals);
/** Kept until the end, because Dawn aborts the process when its instance is collected. */
const gpu = create([]);

/** Adapters on which, by measurement, the products in workgroup memory are the fastest, with large tiles. */
const HARDWARE: KernelTuning = {
  matmul: { ...SOFTWARE_TUNING.matmul, 'workgroup/product': 0.1 },
  workgroups: true,
  largeTiles: true,
  subgroups: false,
};

const RANKS = 4;
const MODES = [
  ['one device', { mode: 'single' }],
  [`DDP, ${RANKS} ranks on one GPUDevice`, { mode: 'ddp', worldSize: RANKS, placement: 'shared' }],
] as const;
const ADAPTERS = [
  ['hardware', HARDWARE],
  ['hardware where small tiles are faster', { ...HARDWARE, largeTiles: false }],
  ['software adapters', SOFTWARE_TUNING],
] as const;

interface Counted {
  readonly title: string;
  readonly adapter: string;
  readonly rows: readonly TrafficRow[];
}

async function countAll(): Promise<Counted[]> {
  const all: Counted[] = [];
  for (const [preset, { config }] of Object.entries(PRESETS))
    for (const [mode, more] of MODES)
      for (const [adapter, tuning] of ADAPTERS) {
        const title = `${preset}, ${mode}`;
        if (!words.every((word) => `${title}, ${adapter}`.includes(word))) continue;
        const rows = rowsOf(await countStep({ ...config, ...more }, { gpu, tuning }));
        console.error(`${title}, kernels of ${adapter}: ${rows.length} rows`);
        all.push({ title, adapter, rows });
      }
  return all;
}

const all = await countAll();
if (all.length === 0) {
  console.error(
    `No run has a title with all of these words: ${words.join(' ')}. Presets: ${Object.keys(PRESETS).join(', ')}.`,
  );
  process.exit(2);
}
const families = ADAPTERS.flatMap(([adapter]) => {
  const own = all.filter((each) => each.adapter === adapter);
  if (own.length === 0) return [];
  const lines = own.flatMap(({ title, rows }) => familyLines(title, rows));
  return [`With the kernels of ${adapter}:\n\n${[FAMILY_HEAD, ...lines].join('\n')}`];
});
// For one device there is a table of all kernels; the additional work of DDP is only in the tables of families.
const tables = all
  .filter(({ title, adapter }) => adapter === 'hardware' && (words.length > 0 || !title.includes('DDP')))
  .map(({ title, rows }) => `### ${title}, kernels of hardware\n\n${trafficTable(rows)}`);
writeFileSync(file, [...families, ...tables].join('\n\n'));
process.exit(0);
