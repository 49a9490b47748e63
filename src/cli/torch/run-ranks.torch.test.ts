/**
 * Ranks under a real torchrun: the output and the end of each rank, and that no process remains. The scripts are small
 * and do not import torch, which takes seconds; torchrun itself needs it.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { place } from '../../../scripts/tier';
import { pythonWithTorch, sayNoTorch } from '../../training/testing/torch-scripts';
import agentScript from './agent.py?raw';
import { planOnThisMachine, torchrunOptions } from './launch-plan';
import type { LostRank } from './lost-ranks';
import rankScript from './rank.py?raw';
import { openRankServer, type TorchProcess } from './rank-server';
import { type RanksOutcome, runRanks } from './run-ranks';

const found = pythonWithTorch();
const python = found ?? 'python3';
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lockstep-ranks-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ran {
  readonly outcome: RanksOutcome;
  readonly lines: readonly string[];
  /** The ranks lost before each attempt. */
  readonly starts: readonly (readonly LostRank[])[];
  readonly pids: readonly number[];
}

/** `ranks`: if empty, runs without a launcher. `whenSaid`: stops the run at this line. */
async function ran(
  code: string,
  { ranks = 0, maxRestarts = 0, stopAt }: { ranks?: number; maxRestarts?: number; stopAt?: string } = {},
): Promise<Ran> {
  const home = await mkdtemp(path.join(folder, 'run-'));
  const script = path.join(home, 'run', 'train.py');
  await import('node:fs/promises').then(({ mkdir }) => mkdir(path.dirname(script)));
  await writeFile(script, code);
  const lines: string[] = [];
  const starts: (readonly LostRank[])[] = [];
  const abort = new AbortController();
  const outcome = await runRanks({
    python,
    folder: home,
    script,
    args: ['--lr', '0.1'],
    torchrun: ranks === 0 ? undefined : torchrunOptions(planOnThisMachine(ranks, maxRestarts), maxRestarts),
    here: Math.max(1, ranks),
    oneNode: true,
    onStart: (_, lost) => starts.push(lost),
    onLine: ({ rank }, stream, text) => {
      lines.push(`${rank} ${stream} ${text}`);
      if (text === stopAt) abort.abort();
    },
    signal: abort.signal,
  });
  const pids = lines.flatMap((line) => /pid (\d+)/.exec(line)?.[1] ?? []).map(Number);
  return { outcome, lines, starts, pids };
}

const isAlive = async (pid: number): Promise<boolean> =>
  readFile(`/proc/${pid}/stat`, 'utf8').then(
    (stat) => !/\) Z /.test(stat),
    () => false,
  );
const alive = async (pids: readonly number[]): Promise<readonly number[]> => {
  const states = await Promise.all(pids.map(isAlive));
  return pids.filter((_, i) => states[i]);
};

/** A killed process closes its files before the system counts it as ended. */
const noneIsLeft = (pids: readonly number[]): Promise<void> =>
  vi.waitFor(async () => expect(await alive(pids)).toEqual([]), { timeout: 10_000 });

test('a script without ranks is one process, with its own status and place of failure', async () => {
  const { outcome, lines } = await ran('import sys\nprint(sys.argv[1:], __name__)\nimport nowhere\n');
  expect(lines[0]).toBe("0 stdout ['--lr', '0.1'] __main__");
  expect(lines.slice(1).join('\n')).not.toContain('rank.py');
  expect(outcome).toMatchObject({ status: 1, restarts: 0, ranks: [0] });
  expect(outcome.lost).toMatchObject([
    { exitCode: 1, failed: { type: 'ModuleNotFoundError', file: 'train.py', line: 3, text: 'import nowhere' } },
  ]);
});

test('a rank ends when Lockstep is gone', async () => {
  const [rankFile, script] = [path.join(folder, 'rank.py'), path.join(folder, 'sleeps.py')];
  await writeFile(rankFile, rankScript);
  await writeFile(script, 'import time\ntime.sleep(600)\n');
  const processes: TorchProcess[] = [];
  const server = await openRankServer({
    began: (process) => void processes.push(process),
    wrote: () => undefined,
    told: () => undefined,
    gone: () => undefined,
  });
  const child = spawn(python, [rankFile, script], { env: { ...process.env, LOCKSTEP_RANKS: server.address } });
  const ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
  while (processes.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  // The server waits two seconds for the rank and then closes its connections.
  await server.close();
  expect(await ended).toBe(1);
  expect(processes).toMatchObject([{ rank: 0, pid: child.pid }]);
});

if (found === undefined) {
  test('no PyTorch on this machine', () => sayNoTorch('torchrun was not tested.'));
} else {
  const RANKS = `
import os, signal, subprocess, sys, time
rank, restart = int(os.environ['RANK']), int(os.environ['TORCHELASTIC_RESTART_COUNT'])
child = subprocess.Popen(['sleep', '600'])
print('pid', os.getpid(), 'pid', child.pid)
def all_here(where, ranks):
    open(f'{where}-{restart}-{rank}', 'w').close()
    while not all(os.path.exists(f'{where}-{restart}-{r}') for r in range(ranks)):
        time.sleep(0.01)
`;

  const KILLED = 'a rank that is killed goes the same way: said by rank, with its signal, and nothing is left';

  test('output by rank, a failure, a restart, a rank that hangs', place({ rest: KILLED }), async () => {
    const { outcome, lines, starts, pids } = await ran(
      `${RANKS}
print('to standard error', rank, file=sys.stderr)
os.write(1, b'unfinished ' + bytes([0xe2, 0x82, 0xac]) + (b'\\n' if rank == 0 else b''))
def work():
    if restart == 1 and rank == 1:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # Lockstep ends it, not torchrun
    all_here('working', 3)
    if restart == 0 and rank == 2:
        raise ValueError('no such thing')
    if restart == 0:
        time.sleep(0.3)
        raise RuntimeError('Connection closed by peer')
    if rank == 1:
        time.sleep(600)
    time.sleep(1)
    raise RuntimeError('Timed out waiting 1000ms for recv operation')
work()
`,
      { ranks: 3, maxRestarts: 1 },
    );
    for (const rank of [0, 1, 2]) expect(lines).toContain(`${rank} stderr to standard error ${rank}`);
    expect(lines.filter((line) => line.endsWith('stdout unfinished €'))).toHaveLength(6);
    expect(starts).toHaveLength(2);
    const first = starts[1] ?? [];
    expect(first.find(({ process: { rank } }) => rank === 2)).toMatchObject({
      failed: { type: 'ValueError', message: 'no such thing', file: 'train.py', function: 'work' },
    });
    expect(outcome).toMatchObject({ status: 1, restarts: 1, stopped: false, ranks: [0, 1, 2] });
    expect(outcome.lost.find(({ process: { rank } }) => rank === 1)).toMatchObject({
      leftOver: { file: 'train.py', text: 'time.sleep(600)', function: 'work' },
    });
    expect(outcome.master?.[0]).toBe('127.0.0.1');
    expect(pids.length).toBeGreaterThanOrEqual(6);
    await noneIsLeft(pids);
  });

  test('a killed rank is reported with its signal', async () => {
    const { outcome } = await ran(
      `${RANKS}
child.kill()
if rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
time.sleep(1)
raise RuntimeError('Connection reset by peer')
`,
      { ranks: 2 },
    );
    expect(outcome.lost.find(({ process: { rank } }) => rank === 1)).toMatchObject({ exitCode: -9 });
  });

  test(
    'a stop reaches the ranks, which end by themselves; no process is left and no output is lost',
    place({ rest: KILLED }),
    async () => {
      const { outcome, lines, pids } = await ran(
        `${RANKS}
def stop(number, frame):
    print('stopping', rank)
    sys.exit(143)
signal.signal(signal.SIGTERM, stop)
all_here('listening', 2)
if rank == 0:
    print('now')
time.sleep(600)
`,
        { ranks: 2, maxRestarts: 3, stopAt: 'now' },
      );
      expect(lines.filter((line) => line.includes('stopping'))).toHaveLength(2);
      expect(outcome).toMatchObject({ stopped: true, restarts: 0, lost: [] });
      await noneIsLeft(pids);
    },
  );

  test('torchrun ends when Lockstep is gone', place({ rest: KILLED }), async () => {
    const [agent, script] = [path.join(folder, 'agent.py'), path.join(folder, 'sleeps.py')];
    await writeFile(agent, agentScript);
    await writeFile(script, 'import os, time\nprint("pid", os.getpid(), flush=True)\ntime.sleep(600)\n');
    const child = spawn(python, [agent, ...torchrunOptions(planOnThisMachine(1, 0), 0), script]);
    const pid = await new Promise<number>((resolve) =>
      child.stdout.on('data', (data: Buffer) => resolve(Number(/pid (\d+)/.exec(data.toString())?.[1]))),
    );
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end();
    await ended;
    await noneIsLeft([pid]);
  });
}
