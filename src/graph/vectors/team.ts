/**
 * Threads that run kernels beside the training thread, over shared memory. The room runtime starts the threads; this
 * file has their protocol and their loop.
 *
 * Calls are passed through shared memory: each thread has a part of `commands`, and `control` announces new calls. All
 * numbers are exact in a double.
 */
import { LockstepError } from '../../base/errors';
import { at } from '../../base/invariant';
import { type KernelName, type Kernels, runAll } from './kernels';

export interface TeamPlan {
  readonly module: WebAssembly.Module;
  /** Shared memory of all threads. */
  readonly memory: WebAssembly.Memory;
  readonly kernels: Kernels;
  /** Scratch bytes of each thread; the threads' scratch areas follow each other from address 0. */
  readonly scratchBytes: number;
}

export interface StartTeam {
  /** Number of threads, including the training thread. */
  readonly threads: number;
  start(plan: TeamPlan): Team;
}

export interface Team {
  /**
   * Returns when all calls are done. Until the other threads have started, the calling thread runs all calls. Results
   * do not depend on which thread runs a call.
   */
  run(kernel: KernelName, calls: readonly (readonly number[])[], ownScratch: boolean): void;
  /** Number of threads that have started, including the caller's. */
  here(): number;
  close(): void;
}

/** The arguments that a thread starts with. */
export interface ThreadStart {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly names: readonly string[];
  readonly control: Int32Array;
  readonly commands: Float64Array;
  /** Where the thread's calls begin in `commands`. */
  readonly at: number;
  /** The address of the thread's scratch memory. */
  readonly scratch: number;
}

/**
 * The loop of a thread until the caller ends it: it waits for a round of calls, runs its share, and counts itself as
 * done. A thread is started from the text of this function, so the function uses nothing from outside. The elements of
 * `control` are: number of the round, threads not done yet, whether to end, threads started, and whether one has
 * failed.
 */
export function serve({ module, memory, names, control, commands, at: first, scratch }: ThreadStart): void {
  const { exports } = new WebAssembly.Instance(module, { env: { memory, log: Math.log } });
  const kernels = names.map((name) => Reflect.get(exports, name) as (...numbers: readonly number[]) => number);
  /** Polls this often before it sleeps, because the next calls mostly arrive at once. */
  const LOOKS = 4000;
  let seen = 0;
  Atomics.add(control, 3, 1);
  for (;;) {
    for (let looks = 0; Atomics.load(control, 0) === seen; looks++) if (looks > LOOKS) Atomics.wait(control, 0, seen);
    seen = Atomics.load(control, 0);
    if (Atomics.load(control, 2) === 1) return;
    try {
      const [kernel = 0, calls = 0, length = 0, own = 0] = commands.subarray(first, first + 4);
      const run = kernels[kernel];
      for (let call = 0, from = first + 4; call < calls; call++, from += length) {
        const numbers = commands.subarray(from, from + length);
        if (own === 1) run?.(...numbers, scratch);
        else run?.(...numbers);
      }
    } catch {
      Atomics.store(control, 4, 1);
    }
    if (Atomics.sub(control, 1, 1) === 1) Atomics.notify(control, 1);
  }
}

const [ROUND, LEFT, END, HERE, FAILED] = [0, 1, 2, 3, 4] as const;
/** Numbers that fit into a thread's part of `commands`. */
const COMMANDS = 32_768;
const HEADER = 4;
/** How often the calling thread polls whether the others are done, before it sleeps until they notify it. */
const LOOKS = 4000;
const PATIENCE_MS = 60_000;

/** `spawn` starts `serve` in a thread and returns a function that ends the thread. */
export function createTeam(threads: number, plan: TeamPlan, spawn: (start: ThreadStart) => () => void): Team {
  const { module, memory, kernels, scratchBytes } = plan;
  const names = (Object.keys(kernels) as KernelName[]).filter((name) => typeof kernels[name] === 'function');
  const control = new Int32Array(new SharedArrayBuffer(64));
  const commands = new Float64Array(new SharedArrayBuffer(8 * COMMANDS * (threads - 1)));
  const ends = Array.from({ length: threads - 1 }, (_, t) =>
    spawn({ module, memory, names, control, commands, at: t * COMMANDS, scratch: (t + 1) * scratchBytes }),
  );
  const here = (): number => 1 + Atomics.load(control, HERE);
  return {
    here,
    run(kernel, calls, ownScratch) {
      const scratch = ownScratch ? 0 : undefined;
      const length = at(calls, 0).length;
      const share = Math.ceil(calls.length / threads);
      if (here() < threads || share * length + HEADER > COMMANDS) {
        runAll(kernels[kernel], calls, scratch);
        return;
      }
      for (let t = 1; t < threads; t++) {
        const own = calls.slice(t * share, (t + 1) * share);
        const from = (t - 1) * COMMANDS;
        commands.set([names.indexOf(kernel), own.length, length, ownScratch ? 1 : 0], from);
        own.forEach((call, k) => {
          commands.set(call, from + HEADER + k * length);
        });
      }
      Atomics.store(control, LEFT, threads - 1);
      Atomics.add(control, ROUND, 1);
      Atomics.notify(control, ROUND);
      runAll(kernels[kernel], calls.slice(0, share), scratch);
      waitForOthers(control);
    },
    close() {
      Atomics.store(control, END, 1);
      Atomics.add(control, ROUND, 1);
      Atomics.notify(control, ROUND);
      for (const end of ends) end();
    },
  };
}

function waitForOthers(control: Int32Array): void {
  for (let looks = 0; ; looks++) {
    const left = Atomics.load(control, LEFT);
    if (left === 0) break;
    if (looks > LOOKS && Atomics.wait(control, LEFT, left, PATIENCE_MS) === 'timed-out')
      throw new LockstepError(
        'internal',
        `A thread has not finished its part of a kernel for ${PATIENCE_MS / 1000} s.`,
        'Train with threads: 1, which gives the same numbers.',
      );
  }
  if (Atomics.load(control, FAILED) === 1)
    throw new LockstepError('internal', 'A thread failed in a kernel.', 'Train with threads: 1.');
}
