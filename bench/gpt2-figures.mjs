/** GPT-2 small on the CPU device in Node: how long the plan takes, and time and memory of a run of one step. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildCommandLine } from '../scripts/build-cli.mjs';
import { root } from '../scripts/install.mjs';
import { machine } from './machine.mjs';
import { digits } from './report.mjs';
import { median } from './summary.mjs';

const ROUNDS = 3;
const PRESET = ['--preset', 'gpt2'];
/** Loaded into the process before the command line; writes what the process has used when it exits. */
const WATCH = `import { writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync(process.env.LOCKSTEP_USAGE_FILE, JSON.stringify(process.resourceUsage())));`;

/** @type {readonly {name: string, args: readonly string[]}[]} */
const RUNS = [
  { name: 'compile, verify and plan (`lockstep memory`)', args: ['memory', ...PRESET] },
  { name: 'a run of one step', args: ['train', ...PRESET, '--device', 'cpu', '--steps', '1'] },
];

/** @returns {Promise<import('./tables.mjs').Taken>} */
export async function measureGpt2() {
  await buildCommandLine();
  const measured = RUNS.map(({ name, args }) => {
    const rounds = Array.from({ length: ROUNDS }, () => used(args));
    const of = (/** @type {'wallS' | 'cpuS' | 'megabytes'} */ key) =>
      median(rounds.map((round) => round[key]).sort((a, b) => a - b));
    console.log(`${name}: ${rounds.map(({ wallS }) => `${digits(wallS)} s`).join(', ')}`);
    return { name, wallS: of('wallS'), cpuS: of('cpuS'), megabytes: of('megabytes') };
  });
  const { date, machine: name } = machine();
  const rows = measured.map(
    (row) => `| ${row.name} | ${digits(row.wallS)} | ${digits(row.cpuS)} | ${row.megabytes.toFixed(0)} |`,
  );
  const head = ['| the preset `gpt2` | s | CPU time, s | most memory, MB |', '|---|---:|---:|---:|'];
  return {
    text: [
      `${date}; ${name}; Node ${process.versions.node}; medians of ${ROUNDS} processes, from their start to their end.`,
      [...head, ...rows].join('\n'),
    ].join('\n\n'),
    values: measured.flatMap((row) => [
      { name: `${row.name}, CPU time in s`, value: row.cpuS },
      { name: `${row.name}, most memory in MB`, value: row.megabytes },
    ]),
  };
}

/** @param {readonly string[]} args */
function used(args) {
  const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-usage-'));
  const file = path.join(folder, 'usage.json');
  const started = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      `--import=data:text/javascript,${encodeURIComponent(WATCH)}`,
      path.join(root, 'dist-cli', 'lockstep.mjs'),
      ...args,
    ],
    { cwd: folder, encoding: 'utf8', env: { ...process.env, LOCKSTEP_USAGE_FILE: file } },
  );
  const wallS = (performance.now() - started) / 1000;
  try {
    if (status !== 0) throw new Error(`lockstep ${args.join(' ')} ended with status ${status}: ${stderr.trim()}`);
    /** @type {NodeJS.ResourceUsage} */
    const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(file, 'utf8'));
    return { wallS, cpuS: (userCPUTime + systemCPUTime) / 1e6, megabytes: (maxRSS * 1024) / 1e6 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
