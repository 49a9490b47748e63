/**
 * An exported run that is killed and started again, by the files that start it on a cluster, goes on from its last
 * checkpoint and comes to the weights of the run without a stop. In the PyTorch of this machine, on the CPU over gloo.
 * Most starts are forks of one process that has imported torch (testing/warm-torch); the first job and the first single
 * process are started as a user does.
 */
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { must } from '../../base/invariant';
import { exportFiles } from '../../headless/export-run';
import { pythonWithTorch, sayNoTorch } from '../testing/torch-scripts';
import { startWarmTorch, type WarmTorch } from '../testing/warm-torch';

const MODEL = {
  layers: [
    { type: 'Linear', in: 2, out: 6 },
    { type: 'BatchNorm1d', features: 6 },
    { type: 'Tanh' },
    { type: 'Linear', in: 6, out: 1 },
  ],
};
const RUN = { model: MODEL, data: { type: 'xor', samples: 48 }, batchSize: 8, steps: 9, device: 'cpu' };
const ADAM = { optimizer: { type: 'Adam', lr: 0.01 } };

let home = '';
let warm: WarmTorch | undefined;
const python = pythonWithTorch();
beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'lockstep-restarts-'));
  if (python === undefined) return;
  // What the written files call: this test's Python, and a SLURM of one node, which has nothing to start on another.
  const commands = {
    'bin/python3': `exec "${python}" "$@"`,
    'bin/scontrol': 'echo 127.0.0.1',
    'bin/srun': 'while [[ "$1" == --* ]]; do shift; done; exec "$@"',
  };
  for (const [name, line] of Object.entries(commands)) {
    await mkdir(path.dirname(path.join(home, name)), { recursive: true });
    await writeFile(path.join(home, name), `#!/usr/bin/env bash\n${line}\n`);
    await chmod(path.join(home, name), 0o755);
  }
  warm = await startWarmTorch(python, path.join(home, 'warm'));
});
afterAll(async () => {
  await warm?.end();
  await rm(home, { recursive: true, force: true });
});

async function exported(name: string, config: object): Promise<string> {
  const folder = path.join(home, name);
  const { files } = await exportFiles({ ...RUN, ...config, compareSingle: false }, {});
  await mkdir(folder);
  for (const [file, content] of Object.entries(files)) await writeFile(path.join(folder, file), content);
  await chmod(path.join(folder, 'run.sh'), 0o755);
  return folder;
}

interface Ended {
  readonly status: number | null;
  readonly said: string;
}

/** torchrun's own --monitor_interval: by default it looks every 5 s whether its ranks have ended. */
const LOOKS_OFTEN = { PET_MONITOR_INTERVAL: '0.1' };

const PATH = (...folders: readonly string[]): string =>
  [...folders.map((folder) => path.join(home, folder)), process.env['PATH'] ?? ''].join(':');
/** For `started`: every process is Python itself, from its start. */
const cold = (): Readonly<Record<string, string>> => ({ PATH: PATH('bin'), PYTHON_EXEC: must(python, 'torch') });

/** What does not come from `env` is not there: no variable of another launcher. */
function started(line: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const [command = '', ...args] = line;
  const warmOnes = { PATH: PATH('warm', 'bin'), PYTHON_EXEC: must(warm, 'warm torch').python };
  const child = spawn(command, args, {
    cwd,
    env: { ...warmOnes, HOME: home, ...LOOKS_OFTEN, CUDA_VISIBLE_DEVICES: '', ...env },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (said += data.toString()));
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, said })));
}

const SLURM = {
  SLURM_JOB_ID: String(20_000 + (process.pid % 9000)),
  SLURM_JOB_NUM_NODES: '1',
  SLURM_JOB_NODELIST: 'node0',
  SLURM_CPUS_PER_TASK: '1',
};

interface WrittenReport {
  readonly config: { readonly steps: number };
  readonly losses: readonly { readonly step: number; readonly loss: number }[];
  readonly weights: Readonly<Record<string, { readonly float32: string }>>;
  readonly error?: { readonly message: string };
}
const report = async (file: string): Promise<WrittenReport> => JSON.parse(await readFile(file, 'utf8'));

/** As Kubeflow's operator starts the pods of a job: one for each rank, with the container's command. */
function pods(folder: string, yaml: string, port: number): Promise<readonly Ended[]> {
  const [, list = ''] = must(/command: \[(.*)\]/.exec(yaml), 'command');
  const line = list.split(', ').map((word) => word.replaceAll('"', ''));
  const ranks = [...yaml.matchAll(/replicas: (\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0);
  return Promise.all(
    Array.from({ length: ranks }, (_, rank) =>
      started(line, folder, {
        ...{ RANK: String(rank), WORLD_SIZE: String(ranks), LOCAL_RANK: '0' },
        ...{ MASTER_ADDR: '127.0.0.1', MASTER_PORT: String(port) },
      }),
    ),
  );
}

if (python === undefined)
  test('no PyTorch on this machine', () => sayNoTorch('restarts of exported runs were not tested.'));
else describe('in PyTorch', inPyTorch);

const RESUMES = 'one process saves and resumes in the quick tier, by the same files';

function inPyTorch(): void {
  test(
    'DDP: killed in a SLURM job, requeued, killed again, continued as pods: equals the uninterrupted run',
    place({ rest: RESUMES }),
    async () => {
      const folder = await exported('ddp', { mode: 'ddp', worldSize: 2, ...ADAM });
      const job = (kill: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
        started(['bash', 'job.sbatch', '--checkpoint-every', '2', '--kill', kill], folder, {
          ...SLURM,
          SLURM_SUBMIT_DIR: folder,
          ...env,
        });
      const first = await job('1@3', cold());
      expect(first.said).toContain('no checkpoint ');
      expect(first.said).toMatch(/run yet: starts from the beginning\n/);
      expect(first.said).toContain('rank 1 is killed in step 3');
      expect(first.status).not.toBe(0);

      const second = await job('1@5');
      expect(second.said).toMatch(/train\.py: resumes from \S*run\n/);
      expect(second.said).toContain('step 2 ');
      expect(second.said).not.toContain('step 1 ');
      expect(second.status).not.toBe(0);

      const yaml = await readFile(path.join(folder, 'pytorchjob.yaml'), 'utf8');
      const third = await pods(folder, yaml, 29_000 + (process.pid % 900));
      expect(third.map(({ status, said }) => (status === 0 ? 0 : said))).toEqual([0, 0]);
      const resumed = await report(path.join(folder, 'report.json'));
      expect(resumed.losses.map(({ step }) => step)).toEqual([4, 5, 6, 7, 8]);

      // Another run of torch 1 on this machine: its --standalone always has this port, which may well be in use here.
      const another = createServer().on('error', () => {});
      another.listen(29_400, '127.0.0.1');
      const whole = path.join(home, 'whole.json');
      const { status, said } = await started(['./run.sh', '--report', whole, '--quiet'], folder);
      another.close();
      expect(status === 0 || said).toBe(true);
      const straight = await report(whole);
      expect(resumed.losses).toEqual(straight.losses.slice(4));
      expect(resumed.weights).toEqual(straight.weights);
    },
  );

  test('invalid options are refused in one line, before any rank starts', async () => {
    const folder = await exported('refused', { mode: 'ddp', worldSize: 2, ...ADAM });
    const nodes = await started(['./run.sh'], folder, { NNODES: '1:2' });
    const whole = "run.sh: NNODES and NPROC_PER_NODE must be whole numbers of at least 1, not '1:2'\n";
    expect(nodes).toEqual({ status: 2, said: whole });
    const [first, second] = await Promise.all(
      ['0', '1'].map((RANK) => started(['python3', 'train.py', '--steps', '-5'], folder, { RANK, WORLD_SIZE: '2' })),
    );
    expect(first?.status).toBe(2);
    expect(first?.said).toMatch(/error: argument --steps: '-5' is not a whole number of at least 1\n$/);
    expect(second).toEqual({ status: 2, said: '' });
  });

  test('one process, started from another folder: its files are found beside it, its checkpoint where it is', async () => {
    const folder = await exported('one', { mode: 'single', data: { type: 'digits', samples: 48 }, ...DIGITS });
    const elsewhere = path.join(home, 'elsewhere');
    await mkdir(elsewhere);
    const train = path.join(folder, 'train.py');
    const line = ['python3', train, '--checkpoint', 'new/run', '--checkpoint-every', '2', '--resume', 'auto'];
    const first = await started([...line, '--kill', '0@5'], elsewhere, cold());
    expect(first.said).toContain('train.py: no checkpoint new/run yet: starts from the beginning\n');
    expect(first.said).toContain('rank 0 is killed in step 5');
    const second = await started([...line, '--report', 'report.json'], elsewhere);
    expect(second.status).toBe(0);
    expect(second.said).toContain('train.py: resumes from new/run\nstep 4 ');
    expect((await started(['python3', train, '--report', 'whole.json', '--quiet'], elsewhere)).status).toBe(0);
    const [resumed, straight] = await Promise.all(
      ['report.json', 'whole.json'].map((name) => report(path.join(elsewhere, name))),
    );
    expect(resumed?.losses).toEqual(straight?.losses.slice(4));
    expect(resumed?.weights).toEqual(straight?.weights);

    const without = await started(['python3', train, '--resume', 'auto'], elsewhere);
    expect(without).toMatchObject({ status: 2, said: expect.stringContaining('give --checkpoint as well') });

    // A file that lost bytes on the disk is not passed over.
    await writeFile(
      path.join(elsewhere, 'new', 'run.safetensors'),
      await readFile(path.join(folder, 'initial.safetensors')),
    );
    const damaged = await started(line, elsewhere);
    expect(damaged.status).toBe(1);
    expect(damaged.said).toMatch(
      /was not saved together with the other file\. Remove these files to train from the start/,
    );
  });

  test(
    'join(), started without torchrun: if a rank raises, the rank that waits for it ends, too, and reports it',
    place({ rest: 'a rank is killed in the quick tier' }),
    async () => {
      const ddp = { join: true, samplesPerRank: [24, 12] };
      const folder = await exported('raises', { mode: 'ddp', worldSize: 2, steps: 3, ddp, ...ADAM });
      const recorder = path.join(folder, 'record.py');
      const code = await readFile(recorder, 'utf8');
      const raises = code.replace('os.kill(os.getpid(), signal.SIGKILL)', "raise ValueError('a bad row')");
      expect(raises).not.toBe(code);
      await writeFile(recorder, raises);
      for (const at of [0, 1]) {
        const port = String(29_900 + 2 * (process.pid % 40) + at);
        const line = ['python3', 'train.py', '--quiet', '--report', 'report.json', '--kill', `1@${at}`];
        const [waits, failed] = await Promise.all(
          ['0', '1'].map((RANK) =>
            started(line, folder, {
              ...{ RANK, LOCAL_RANK: RANK, WORLD_SIZE: '2' },
              ...{ MASTER_ADDR: '127.0.0.1', MASTER_PORT: port },
            }),
          ),
        );
        expect(failed).toMatchObject({ status: 1, said: expect.stringContaining('ValueError: a bad row') });
        expect(waits).toMatchObject({ status: 1, said: expect.stringContaining('Connection closed by peer') });
        const { error } = await report(path.join(folder, 'report.json'));
        expect(error?.message).toContain('Connection closed by peer');
      }
    },
  );

  test(
    'DDP: a complete run is left as it is; a checkpoint that does not fit is refused in a line',
    place({ rest: RESUMES }),
    async () => {
      const folder = await exported('complete', { mode: 'ddp', worldSize: 2, ...ADAM });
      const run = (cwd: string, ...more: readonly string[]): Promise<Ended> =>
        started(['./run.sh', '--quiet', '--report', 'report.json', ...more], cwd);
      expect((await run(folder, '--checkpoint', 'run')).status).toBe(0);
      const files = ['report.json', 'run.safetensors', 'run.state.safetensors'];
      const written = (): Promise<readonly string[]> =>
        Promise.all(files.map((file) => readFile(path.join(folder, file), 'base64')));
      const before = await written();
      for (const more of [
        ['--checkpoint', 'run', '--resume', 'auto'],
        ['--resume', 'run'],
      ]) {
        const again = await run(folder, ...more);
        expect(again.status === 0 || again.said).toBe(true);
        expect(again.said).toContain('train.py: run is complete at step 9: nothing is left to do\n');
      }
      expect(await written()).toEqual(before);

      const none = await run(folder, '--resume', 'nosuch');
      expect(none.status).not.toBe(0);
      expect(none.said).toContain('train.py: there is no checkpoint nosuch (nosuch.state.safetensors is missing)\n');
      expect(none.said).not.toContain('record.py');

      const sgd = await exported('sgd', { mode: 'ddp', worldSize: 2 });
      const base = path.join(folder, 'run');
      expect((await run(sgd, '--resume', base)).said).toContain('was saved with Adam, but this run uses SGD\n');
      const wide = [
        { type: 'Linear', in: 2, out: 7 },
        { type: 'Linear', in: 7, out: 1 },
      ];
      const other = await exported('other', { mode: 'ddp', worldSize: 2, model: { layers: wide } });
      expect((await run(other, '--resume', base)).said).toContain(
        'run the tensor 0.weight has the shape [6, 2], not [7, 2]\n',
      );
      const seeded = await exported('seeded', { mode: 'ddp', worldSize: 2, ...ADAM, seed: 5 });
      const warned = await run(seeded, '--resume', base, '--steps', '10');
      expect(warned.status === 0 || warned.said).toBe(true);
      expect((await report(path.join(seeded, 'report.json'))).config.steps).toBe(10);
      expect(warned.said).toMatch(
        /train\.py: warning: settings of this run differ from those of \S* ?\S* ?\S*: seed\n/,
      );
    },
  );
}

const DIGITS = {
  model: { layers: [{ type: 'Flatten' }, { type: 'Linear', in: 784, out: 10 }] },
  loss: { type: 'CrossEntropyLoss' },
};
