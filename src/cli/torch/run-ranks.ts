/**
 * Runs a script in the PyTorch of this machine: under torchrun where it has ranks, else by itself. Gives out what each
 * rank writes, and resolves when every process is gone, with what became of the ranks. A rank that goes on when another
 * has failed is asked where it is and then ended: torchrun itself waits half a minute for it. Called by
 * train-in-torch.ts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import agentScript from './agent.py?raw';
import type { LostRank } from './lost-ranks';
import rankScript from './rank.py?raw';
import { hasEnded, isAlive, lostOf, RankLives } from './rank-lives';
import { openRankServer, type TorchProcess } from './rank-server';

export interface RanksInput {
  /** The interpreter. */
  readonly python: string;
  /** Takes the two helper files, and is removed by the caller. */
  readonly folder: string;
  readonly script: string;
  readonly args: readonly string[];
  /** torchrun's options; undefined: one process without a launcher. */
  readonly torchrun: readonly string[] | undefined;
  /** Processes on this machine, and whether there are no others. */
  readonly here: number;
  readonly oneNode: boolean;
  readonly onLine: (process: TorchProcess, stream: 'stdout' | 'stderr', line: string) => void;
  /** The first rank of an attempt is there; `lost`: of the attempt before. */
  readonly onStart: (process: TorchProcess, lost: readonly LostRank[]) => void;
  /** SIGTERM to the ranks, which stop after their step. */
  readonly signal: AbortSignal;
}

export interface RanksOutcome {
  /** 0: all ranks of this machine came to their end. Else torchrun's, or that of the one process. */
  readonly status: number;
  /** It was asked to stop. */
  readonly stopped: boolean;
  /** How often all ranks started again. */
  readonly restarts: number;
  /** Ranks of the last attempt on this machine. */
  readonly ranks: readonly number[];
  readonly master: TorchProcess['master'] | undefined;
  /** Ranks of the last attempt that did not come to their end. */
  readonly lost: readonly LostRank[];
  /** The last lines that the launcher wrote itself. */
  readonly launcherSaid: readonly string[];
}

/** What other ranks have to end by themselves when one has failed: they lose their connection to it. */
const GRACE_MS = 5000;
const LINES = 40;

export async function runRanks(input: RanksInput): Promise<RanksOutcome> {
  const lives = new RankLives();
  const said: string[] = [];
  let grace: NodeJS.Timeout | undefined;

  /** Those of its attempt that go on: asked where they are at once, ended when they do not end by themselves. */
  const whenFailed = ({ restart }: TorchProcess): void => {
    if (input.signal.aborted || grace !== undefined) return;
    const others = lives.attempt(restart).filter((life) => isAlive(life) && !hasEnded(life));
    for (const life of others) server.ask(life);
    grace = setTimeout(() => {
      for (const life of others.filter(isAlive)) end(life.pid);
    }, GRACE_MS);
  };

  const server = await openRankServer({
    began(process) {
      clearTimeout(grace);
      grace = undefined;
      const { restart } = process;
      if (lives.attempt(restart).length === 0)
        input.onStart(process, lostOf(lives.attempt(restart - 1), exitCodes(said)));
      lives.began(process);
    },
    wrote: input.onLine,
    told(process, told) {
      const life = lives.told(process, told);
      if (life && ('failed' in told || ('ended' in told && told.ended !== 0))) whenFailed(process);
    },
    gone(process) {
      const life = lives.gone(process);
      if (life && !hasEnded(life)) whenFailed(process);
    },
  });
  const child = await start(input, server.address);
  keepLines(child, said);
  const exitStatus = await ended(child, input.signal);
  clearTimeout(grace);
  // torchrun has ended its ranks by now, unless it was killed itself.
  for (const life of lives.alive()) end(life.pid);
  // What the processes started themselves, as workers of a DataLoader.
  if (child.pid !== undefined) end(child.pid);
  await server.close();
  return outcomeOf(input, { lives, said, child, exitStatus });
}

interface FinishedRun {
  readonly lives: RankLives;
  readonly said: readonly string[];
  readonly child: ChildProcess;
  readonly exitStatus: number;
}

function outcomeOf(input: RanksInput, { lives, said, child, exitStatus }: FinishedRun): RanksOutcome {
  const restarts = lives.restarts();
  const last = lives.attempt(restarts);
  // Of several torchruns the first that leaves may take the store along in which the others say good-bye.
  const isDone =
    last.length === input.here && last.every(({ told }) => told.some((each) => 'ended' in each && each.ended === 0));
  const status = isDone ? 0 : exitStatus;
  const codes = new Map(exitCodes(said));
  if (input.torchrun === undefined && child.pid !== undefined)
    codes.set(child.pid, child.signalCode === 'SIGKILL' ? -9 : status);
  return {
    status,
    stopped: input.signal.aborted,
    restarts,
    ranks: [...new Set(last.map(({ rank }) => rank))].toSorted((a, b) => a - b),
    lost: status === 0 ? [] : lostOf(last, codes),
    master: last[0]?.master,
    launcherSaid: said.slice(-LINES),
  };
}

async function start(input: RanksInput, address: string): Promise<ChildProcess> {
  const [rankFile, agentFile] = ['rank.py', 'agent.py'].map((name) => path.join(input.folder, name)) as [
    string,
    string,
  ];
  await Promise.all([writeFile(rankFile, rankScript), writeFile(agentFile, agentScript)]);
  const rank = [rankFile, input.script, ...input.args];
  const args = input.torchrun === undefined ? rank : [agentFile, ...input.torchrun, ...rank];
  return spawn(input.python, args, {
    // The script reads what lies beside it.
    cwd: path.dirname(input.script),
    // A terminal's Ctrl+C is passed on by this process, once.
    detached: true,
    // The launcher sees by its input that this process lives.
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PYTHONUNBUFFERED: '1',
      // Else, from torch 2.4 on, ranks that start again find the addresses of those before (pytorch/pytorch#135712).
      TORCH_DISABLE_SHARE_RDZV_TCP_STORE: '1',
      LOCKSTEP_RANKS: address,
      ...(input.oneNode ? { LOCKSTEP_MASTER_ADDR: '127.0.0.1' } : {}),
    },
  });
}

/** What the launcher writes itself; of very much the end. */
function keepLines(child: ChildProcess, said: string[]): void {
  const listen = (data: Buffer): void => {
    said.push(
      ...data
        .toString()
        .split('\n')
        .filter((line) => line.trim() !== ''),
    );
    said.splice(0, said.length - 10 * LINES);
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
}

/** Its exit status; the signal is passed on to it. */
async function ended(child: ChildProcess, signal: AbortSignal): Promise<number> {
  const stop = (): void => void child.kill('SIGTERM');
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  const status = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, killed) => resolve(code ?? (killed === null ? 1 : 128)));
  });
  signal.removeEventListener('abort', stop);
  return status;
}

/** The process, and the group that it leads: ranks do under newer torchruns, the launcher always does. */
function end(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // It leads none, or is gone.
    }
  }
}

/** By process: what torchrun says of those that failed. */
function exitCodes(said: readonly string[]): ReadonlyMap<number, number> {
  const codes = new Map<number, number>();
  for (const line of said) {
    const [, code, pid] = /exitcode\s*: (-?\d+)\)? (?:local_rank: \d+ )?\(pid: (\d+)\)/.exec(line) ?? [];
    if (code !== undefined) codes.set(Number(pid), Number(code));
  }
  return codes;
}
