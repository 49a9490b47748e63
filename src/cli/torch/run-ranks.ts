/**
 * Runs a script in the PyTorch of this machine: under torchrun if it has ranks, else directly. Passes on each rank's
 * output, and resolves with the ranks' outcome when every process is gone. If a rank continues after another has
 * failed, records where it is and ends it; torchrun itself would wait half a minute for it. Called by
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
  /** The folder for the two helper files, which the caller removes. */
  readonly folder: string;
  readonly script: string;
  readonly args: readonly string[];
  /** torchrun's options; undefined: one process without a launcher. */
  readonly torchrun: readonly string[] | undefined;
  /** The number of processes on this machine, and whether there are no others. */
  readonly here: number;
  readonly oneNode: boolean;
  readonly onLine: (process: TorchProcess, stream: 'stdout' | 'stderr', line: string) => void;
  /** Called when the first rank of an attempt has begun; `lost`: the lost ranks of the previous attempt. */
  readonly onStart: (process: TorchProcess, lost: readonly LostRank[]) => void;
  /** Sends SIGTERM to the ranks, which stop after their step. */
  readonly signal: AbortSignal;
}

export interface RanksOutcome {
  /** 0: all ranks of this machine finished. Else the status of torchrun, or of the single process. */
  readonly status: number;
  /** Whether the run was asked to stop. */
  readonly stopped: boolean;
  /** The number of times that all ranks started again. */
  readonly restarts: number;
  /** The ranks of the last attempt on this machine. */
  readonly ranks: readonly number[];
  readonly master: TorchProcess['master'] | undefined;
  /** The ranks of the last attempt that did not finish. */
  readonly lost: readonly LostRank[];
  /** The last lines of the launcher's own output. */
  readonly launcherSaid: readonly string[];
}

/**
 * The time in which other ranks may end by themselves after one has failed, because they lose their connection to it.
 */
const GRACE_MS = 5000;
const LINES = 40;

export async function runRanks(input: RanksInput): Promise<RanksOutcome> {
  const lives = new RankLives();
  const said: string[] = [];
  let grace: NodeJS.Timeout | undefined;

  /**
   * Handles the ranks of the same attempt that continue: asks each at once where it is, and ends it if it does not end
   * by itself.
   */
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
  // torchrun has ended its ranks by now, unless torchrun itself was killed.
  for (const life of lives.alive()) end(life.pid);
  // Ends processes that the ranks started, such as workers of a DataLoader.
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
  // With several torchruns, the first to exit may end the store through which the others sign off.
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
    // The script reads files beside it.
    cwd: path.dirname(input.script),
    // A terminal's Ctrl+C is passed on by this process, once.
    detached: true,
    // The launcher knows from its open input that this process is alive.
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PYTHONUNBUFFERED: '1',
      // Without this, from torch 2.4 on, restarted ranks find the addresses of the previous ones
      // (pytorch/pytorch#135712).
      TORCH_DISABLE_SHARE_RDZV_TCP_STORE: '1',
      LOCKSTEP_RANKS: address,
      ...(input.oneNode ? { LOCKSTEP_MASTER_ADDR: '127.0.0.1' } : {}),
    },
  });
}

/** Keeps the launcher's own output; only the end if it is long. */
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

/** Waits for the child's exit status and passes the signal on to it. */
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

/**
 * Ends a process and the group that it leads; under newer torchruns ranks lead groups, and the launcher always does.
 */
function end(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // The process leads no group, or is gone.
    }
  }
}

/** The exit codes of failed processes from torchrun's output, by process. */
function exitCodes(said: readonly string[]): ReadonlyMap<number, number> {
  const codes = new Map<number, number>();
  for (const line of said) {
    const [, code, pid] = /exitcode\s*: (-?\d+)\)? (?:local_rank: \d+ )?\(pid: (\d+)\)/.exec(line) ?? [];
    if (code !== undefined) codes.set(Number(pid), Number(code));
  }
  return codes;
}
