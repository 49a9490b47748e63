/**
 * nccl: all ranks of the group share one memory space, a GPUDevice or one set of arrays. When the last rank has passed
 * in its tensors, one executor runs the whole Program, like NCCL's single kernel: data moves between ranks by copies on
 * the device, never by messages. Only for ranks in one thread.
 */
import { oneAtATime } from '../../base/one-at-a-time';
import type { Program } from '../../program/instruction';
import type { Executor } from '../../runtime/executor';
import type { HostArray } from '../../tensor/shape';
import { ExecutorCache } from './executor-cache';
import type { CollectiveRequest, GroupBackend } from './group-backend';
import { type LanePart, runLane } from './run-lane';

export type OpenExecutor = (program: Program, devices: readonly number[]) => Promise<Executor>;

interface Round {
  readonly parts: LanePart[];
  readonly done: Promise<void>;
  settle(result: Promise<void>): void;
}

/** What the ranks of a group share. */
export class NcclDevice {
  private readonly rounds = new Map<number, Round>();
  private readonly left = new Set<number>();
  private readonly taken = new Map<number, number>();
  private readonly executors: ExecutorCache;
  private readonly posted = new Map<string, Promise<HostArray>>();
  private readonly post = new Map<string, (data: HostArray) => void>();
  private readonly inOrder = oneAtATime();

  constructor(
    private readonly worldSize: number,
    open: OpenExecutor,
  ) {
    const devices = Array.from({ length: worldSize }, (_, rank) => rank);
    this.executors = new ExecutorCache((program) => open(program, devices));
  }

  /** The backend of one rank. */
  backend(rank: number): GroupBackend {
    return {
      name: 'nccl',
      run: (request, input, output) => this.run(request, { rank, input, output }),
      send: async ({ from, to, name }, data) => this.mail(`${from}>${to} ${name}`).put(data.slice()),
      recv: async ({ from, to, name }, into) => into.set(await this.mail(`${from}>${to} ${name}`).take()),
      close: () => {
        this.left.add(rank);
        if (this.left.size === this.worldSize) this.executors.dispose();
      },
    };
  }

  /** The n-th call of each rank belongs to the n-th round; the last rank to call runs the round. */
  private run(request: CollectiveRequest, part: LanePart): Promise<void> {
    const n = this.taken.get(part.rank) ?? 0;
    this.taken.set(part.rank, n + 1);
    const round = this.rounds.get(n) ?? newRound();
    this.rounds.set(n, round);
    round.parts.push(part);
    if (round.parts.length === this.worldSize) {
      this.rounds.delete(n);
      const parts = round.parts.toSorted((a, b) => a.rank - b.rank);
      round.settle(this.inOrder(async () => runLane(await this.executors.get(request), request, parts)));
    }
    return round.done;
  }

  /** A copy from one rank's tensor to another's. */
  private mail(key: string): { put(data: HostArray): void; take(): Promise<HostArray> } {
    if (!this.posted.has(key))
      this.posted.set(
        key,
        new Promise((resolve) => {
          this.post.set(key, resolve);
        }),
      );
    return {
      put: (data) => this.post.get(key)?.(data),
      take: async () => {
        const data = await (this.posted.get(key) ?? Promise.resolve(new Float32Array(0)));
        this.posted.delete(key);
        this.post.delete(key);
        return data;
      },
    };
  }
}

function newRound(): Round {
  let settle: (result: Promise<void>) => void = () => {};
  const done = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { parts: [], done, settle };
}
