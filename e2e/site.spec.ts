import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { placeInBrowser } from '../scripts/tier';
import type { BenchReport } from '../src/protocol/bench-report';
import type { Report } from '../src/protocol/report';
import { expect, TINY, test } from './playground';

const run = promisify(execFile);

test(
  'requests nothing from other sites',
  placeInBrowser({ rest: 'policy.spec.ts holds that nothing else can be asked' }),
  async ({ playground, baseURL }) => {
    const foreign: string[] = [];
    playground.page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== new URL(baseURL ?? '').origin) foreign.push(request.url());
    });
    await playground.open(`${TINY}&data=xor&device=cpu`);
    expect(foreign).toEqual([]);
  },
);

test(
  'the command line and the page give the same report',
  placeInBrowser({ rest: 'both call one function, whose runs bits.test.ts holds to their bits' }),
  async ({ playground }) => {
    const config = {
      data: { type: 'xor', samples: 40 },
      batchSize: 8,
      steps: 5,
      mode: 'ddp',
      worldSize: 2,
      device: 'cpu',
    };
    const folder = await mkdtemp(path.join(tmpdir(), 'lockstep-e2e-'));
    await writeFile(path.join(folder, 'run.json'), JSON.stringify(config));
    const out = path.join(folder, 'report.json');
    await run('node', [
      'bin/lockstep.mjs',
      'train',
      '--config',
      path.join(folder, 'run.json'),
      '--out',
      out,
      '--quiet',
    ]);
    const fromTerminal = JSON.parse(await readFile(out, 'utf8')) as Report;
    await playground.open(`${TINY}&data=xor&mode=single&device=cpu`);
    const fromPage = await playground.run(config);
    expect(fromPage.weightsSha256).toBe(fromTerminal.weightsSha256);
    expect(fromPage.losses).toEqual(fromTerminal.losses);
    expect(fromPage.bytes).toEqual(fromTerminal.bytes);
  },
);

test(
  'lockstep bench --page measures the page while it plays',
  placeInBrowser({ rest: 'cli/bench.test.ts runs the workloads in Node' }),
  async () => {
    const few = ['--only', 'mlp-single', '--rounds', '2', '--milliseconds', '200'];
    const { stdout } = await run('node', ['bin/lockstep.mjs', 'bench', '--page', '--device', 'cpu', ...few, '--json']);
    const report = JSON.parse(stdout) as BenchReport;
    expect([report.page, report.device.kind, report.machine.runtime]).toEqual([
      true,
      'cpu',
      expect.stringContaining('Chromium'),
    ]);
    expect(report.workloads.map(({ id, rounds }) => [id, rounds.length])).toEqual([['mlp-single', 2]]);
    expect(report.workloads[0]?.slowest).toBeGreaterThan(0);
  },
);
