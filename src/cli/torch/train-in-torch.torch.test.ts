/**
 * `lockstep train --engine torch` from its options to its files, with a real PyTorch on the CPU over gloo. Most
 * launches are forks of one process that has imported torch (testing/warm-torch); the two with `cold` start as for a
 * user.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { place } from '../../../scripts/tier';
import { toWire } from '../../base/errors';
import type { Report } from '../../protocol/report';
import { compareReports } from '../../reports/compare-reports';
import { parseReport } from '../../reports/read-report';
import { pythonWithTorch, sayNoTorch } from '../../training/testing/torch-scripts';
import { startWarmTorch, type WarmTorch } from '../../training/testing/warm-torch';
import { exitCode } from '../exit-code';
import { train } from '../train';
import { parseCommand } from '../usage';

const python = pythonWithTorch();
let folder = '';
let warm: WarmTorch | undefined;
const file = (name: string): string => path.join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lockstep-engine-'));
  if (python === undefined) return;
  warm = await startWarmTorch(python, path.join(folder, 'warm'));
});
afterAll(async () => {
  await warm?.end();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  // torchrun starts its ranks by PYTHON_EXEC.
  for (const name of ['LOCKSTEP_PYTHON', 'PYTHON_EXEC']) vi.stubEnv(name, warm?.python);
});
afterEach(() => vi.unstubAllEnvs());

/** In this test every process is started as Python, so it has the process number that torchrun knows. */
function cold(): void {
  vi.stubEnv('LOCKSTEP_PYTHON', python);
  vi.stubEnv('PYTHON_EXEC', undefined);
}

const MODEL = {
  layers: [{ type: 'Linear', in: 2, out: 6 }, { type: 'Tanh' }, { type: 'Linear', in: 6, out: 1 }],
};
const SMALL = { model: MODEL, data: { type: 'xor', samples: 48 }, batchSize: 8 };

interface Trained {
  /** The exit status that main.ts returns. */
  readonly status: number;
  readonly said: string;
}

/** Runs a command line; `stopAt`: stops it, as with Ctrl+C, when this text is on standard error. */
async function lockstep(config: object, words: readonly string[], stopAt?: string): Promise<Trained> {
  const configFile = file(`run-${Math.random()}.json`);
  await writeFile(configFile, JSON.stringify({ ...SMALL, ...config }));
  const command = parseCommand(['train', '--config', configFile, ...words]);
  if (command.name !== 'train') throw new Error(command.name);
  const abort = new AbortController();
  let said = '';
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text);
    if (stopAt !== undefined && said.includes(stopAt)) abort.abort();
    return true;
  });
  try {
    return { status: await train(command.options, abort.signal), said };
  } catch (error) {
    const { code, message, hint } = toWire(error);
    return { status: exitCode(code), said: `${said}${message}\n${hint}` };
  } finally {
    spy.mockRestore();
  }
}
const torch = (config: object, ...words: readonly string[]): Promise<Trained> =>
  lockstep(config, ['--engine', 'torch', '--device', 'cpu', ...words]);
const own = (config: object, ...words: readonly string[]): Promise<Trained> =>
  lockstep(config, ['--device', 'cpu', '--quiet', ...words]);
const text = (name: string): Promise<string> => readFile(file(name), 'utf8');
const report = async (name: string): Promise<Report> => JSON.parse(await text(name)) as Report;
/** The verdict of comparing two reports. */
const sameRun = async (a: string, b: string): Promise<unknown> => {
  const { verdict } = compareReports(parseReport(await text(a), a), parseReport(await text(b), b));
  return verdict.same === true ? true : verdict;
};

test('without PyTorch the error says how to get it, with the exit status of a missing device', async () => {
  vi.stubEnv('LOCKSTEP_PYTHON', '/no/python');
  const { status, said } = await torch({ mode: 'ddp' });
  expect(status).toBe(3);
  expect(said).toMatch(
    /No Python here has PyTorch.*\/no\/python: no such program[\s\S]*pip install torch.*LOCKSTEP_PYTHON=/,
  );
});

if (python === undefined)
  test('no PyTorch on this machine', () => sayNoTorch('lockstep train --engine torch was not tested.'));
else describe('in PyTorch', inPyTorch);

/** The reason why tests that start torchrun repeatedly are in the rest tier. */
const CYCLE = 'one run of each mode starts torchrun and comes back';
const RANKS = 'a rank that is killed is tested, and what the report then says without torch (report-text.test.ts)';

function inPyTorch(): void {
  test(
    'DDP of three ranks equals Lockstep’s run: losses, weights, gradients; with traces and files',
    place({ modes: ['ddp'] }),
    async () => {
      const config = {
        mode: 'ddp',
        worldSize: 3,
        steps: 4,
        accumulate: 2,
        ddp: { commHook: { type: 'powerSGD', startPowerSGDIter: 2 } },
      };
      const records = ['--weights', '--history', '4'];
      const { status, said } = await torch(
        config,
        '--out',
        file('t.json'),
        ...records,
        '--trace',
        file('trace.json'),
        '--save',
        file('w.safetensors'),
      );
      expect(said).toMatch(/^torch [\d.]+\S* of .*python/);
      expect(said).toContain('torchrun: 3 processes, no restart\n');
      expect(said).toMatch(
        /\n\[4\/4\] step 3 \(micro-batch 2 of 2\) {2}epoch \d {2}loss [\d.]+ {2}ranks [\d.]+ [\d.]+ [\d.]+\n/,
      );
      expect(said).toMatch(
        /\n4 steps in torch \S+ \(cpu, 3 ranks over gloo\), loss [\d.]+, [\d.]+ steps\/s measured\n$/,
      );
      expect(status).toBe(0);
      await own(config, '--out', file('l.json'), ...records);
      expect(await sameRun('l.json', 't.json')).toBe(true);
      expect(await report('t.json')).toMatchObject({
        engine: { name: 'pytorch', backend: 'gloo', device: 'cpu' },
        steps: 4,
        launch: { worldSize: 3, nodes: [{ ranks: [{ RANK: 0, MASTER_ADDR: '127.0.0.1' }, {}, {}] }] },
        processGroup: { backend: 'gloo', worldSize: 3, nodes: [[0, 1, 2]], maxRestarts: 0, restarts: 0 },
      });
      const files = await readdir(folder);
      expect(files).toEqual(
        expect.arrayContaining(['trace-rank0.json', 'trace-rank1.json', 'trace-rank2.json', 'w.safetensors']),
      );
    },
  );

  test.each([
    ['DataParallel', { mode: 'dataParallel', worldSize: 2, steps: 3 }],
    ['model parallel', { mode: 'modelParallel', worldSize: 2, steps: 3 }],
    ['DDP of one rank', { mode: 'ddp', worldSize: 1, steps: 3 }],
  ])('%s is the run of Lockstep', async (_, config) => {
    if (config.worldSize === 1) cold();
    const { status } = await torch(config, '--quiet', '--weights', '--out', file('t1.json'));
    expect(status).toBe(0);
    await own(config, '--weights', '--out', file('l1.json'));
    expect(await sameRun('l1.json', 't1.json')).toBe(true);
  });

  test(
    'from Lockstep’s checkpoint, through a killed rank and a restart, back to Lockstep: equals the uninterrupted run',
    place({ rest: CYCLE }),
    async () => {
      cold();
      const config = { mode: 'ddp', worldSize: 2, steps: 9, optimizer: { type: 'Adam', lr: 0.01 } };
      await own(config, '--weights', '--out', file('whole.json'));
      await own({ ...config, steps: 3 }, '--out', file('first.json'), '--checkpoint', file('one'));
      const more = ['--resume', file('one'), '--checkpoint', file('two'), '--checkpoint-every', '1'];
      const { status, said } = await torch(
        { ...config, steps: 6 },
        ...[...more, '--kill', '1@4', '--max-restarts', '2', '--out', file('second.json')],
      );
      expect(status).toBe(0);
      expect(said).toContain('[rank 1] rank 1 is killed in step 4\n');
      expect(said).toContain(
        'warning: Rank 1 was ended by signal 9 (SIGKILL).\nAll ranks start again, restart 1 of 2.\n',
      );
      const second = await report('second.json');
      expect(second.losses.map(({ step }) => step)).toEqual([3, 4, 5]);
      expect(second).toMatchObject({
        steps: 3,
        processGroup: { restarts: 1, maxRestarts: 2 },
        notices: [{ id: 'restarted' }],
      });
      await own(config, '--resume', file('two'), '--weights', '--out', file('third.json'));
      const parts = await Promise.all(['first.json', 'second.json', 'third.json'].map(report));
      const whole = await report('whole.json');
      const losses = parts.flatMap((part) => part.losses.map(({ loss }) => loss));
      expect(losses).toHaveLength(9);
      for (const [i, loss] of losses.entries())
        expect(Math.abs(loss - (whole.losses[i]?.loss ?? 9))).toBeLessThan(1e-6);
    },
  );

  test(
    'a rank that hangs is named with its position, after the timeout of the other ranks',
    place({ rest: RANKS }),
    async () => {
      const { status, said } = await torch(
        { mode: 'ddp', worldSize: 2, steps: 5, timeoutS: 5 },
        ...['--hang', '1@2', '--out', file('hung.json')],
      );
      expect(status).toBe(4);
      expect(said).toMatch(/Rank 1 hung in record\.py, line \d+: time\.sleep/);
      expect(said).toContain("rank 0 waited for it until the process group's timeout of 5 s.");
      const { error, losses } = await report('hung.json');
      expect(error).toMatchObject({ code: 'rank-failed', details: { rank: 1 } });
      expect(losses.map(({ perRank }) => perRank.length)).toEqual([2, 2]);
    },
  );

  test(
    'an error of torch is reported with its rank and line: SyncBatchNorm on the CPU',
    place({ rest: RANKS }),
    async () => {
      const layers = [MODEL.layers[0], { type: 'BatchNorm1d', features: 6 }, MODEL.layers[2]];
      const { status, said } = await torch(
        { mode: 'ddp', worldSize: 2, steps: 2, model: { layers }, ddp: { syncBatchNorm: true } },
        ...['--out', file('sync.json')],
      );
      expect(status).toBe(4);
      expect(said).toMatch(/\[rank 0\] Traceback/);
      expect(said).toMatch(/\nRank \d failed in train\.py, line \d+: .*\n\w*Error: .*SyncBatchNorm/);
      expect((await report('sync.json')).error?.code).toBe('rank-failed');
    },
  );

  test(
    'two machines, each with the same command; the one with rank 0 writes the report',
    place({ rest: CYCLE }),
    async () => {
      const config = { mode: 'ddp', worldSize: 4, steps: 3 };
      const endpoint = `localhost:${20_000 + Math.floor(Math.random() * 10_000)}`;
      const words = ['--nnodes', '2', '--rdzv_endpoint', endpoint, '--rdzv_id', 'two', '--weights'];
      const machines = await Promise.all(
        ['a', 'b'].map((name) => torch(config, ...words, '--out', file(`node-${name}.json`))),
      );
      expect(
        machines.map(({ status }) => status),
        machines.map(({ said }) => said).join('\n'),
      ).toEqual([0, 0]);
      const written = (await readdir(folder)).filter((name) => name.startsWith('node-'));
      expect(written).toHaveLength(1);
      await own(config, '--weights', '--out', file('l4.json'));
      expect(await sameRun('l4.json', written[0] ?? '')).toBe(true);
      expect(await report(written[0] ?? '')).toMatchObject({
        processGroup: {
          nodes: [
            [0, 1],
            [2, 3],
          ],
        },
      });
    },
  );

  test('a stopped run writes a report of its finished steps', place({ rest: RANKS }), async () => {
    const config = { mode: 'ddp', worldSize: 2, steps: 1_000_000 };
    const words = ['--engine', 'torch', '--device', 'cpu', '--out', file('stopped.json')];
    const { status, said } = await lockstep(config, words, 'step 3 ');
    expect(status).toBe(4);
    const { losses, error } = await report('stopped.json');
    expect(losses.length).toBeGreaterThan(3);
    expect(losses.length).toBeLessThan(1_000_000);
    expect(error).toMatchObject({ code: 'aborted', message: `The run was stopped after ${losses.length} steps.` });
    expect(said.endsWith(`The run was stopped after ${losses.length} steps.\n`)).toBe(true);
  });

  test('a fault of a rank that does not exist is refused', async () => {
    const { status, said } = await torch({ mode: 'ddp', worldSize: 2, steps: 2 }, '--kill', '2@1');
    expect(status).toBe(2);
    expect(said).toContain('There is no rank 2: ranks are 0 to 1.');
  });

  test('a run that needs a newer PyTorch is not started', async () => {
    const { status, said } = await torch(
      { mode: 'ddp', worldSize: 2, steps: 2, ddp: { initSync: false } },
      '--out',
      file('sync.json'),
    );
    // On a machine with a new torch the run trains.
    if (status !== 0) {
      expect(status).toBe(3);
      expect(said).toMatch(/init_sync needs torch 2\.7 or newer; this machine has 1\.\S+ at /);
    }
  });
}
