/**
 * The machines that a program runs on, as torch.distributed sees them: hosts with ports to listen on, a shared file
 * system, and the worlds of ranks that met through a store. Clusters are independent of each other. Holds no tensors.
 * Made by spawn(), or by hand for a lesson on rendezvous.
 */
import type { LockstepError } from '../base/errors';
import { must } from '../base/invariant';
import { openExecutors } from '../runtime/launch/open-executors';
import type { OpenExecutor } from './backends/nccl';
import { DistributedWorld } from './rendezvous-groups';
import { HashStore } from './store/hash-store';
import { torchError } from './torch-error';

export interface ClusterOptions {
  /**
   * The memory that nccl's ranks share: a GPUDevice that hosts them all, or (the default) one set of typed arrays.
   * false: none, as between workers.
   */
  readonly nccl?: OpenExecutor | false;
}

/** A served store with a unique name. */
export interface ServedStore {
  readonly id: string;
  readonly store: HashStore;
}

const onArrays: OpenExecutor = async (program, devices) => {
  const [hosted] = await openExecutors({ kind: 'cpu', programs: [program], devices }, { gpu: undefined });
  return must(hosted, 'an executor').executor;
};

const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

export class Cluster {
  readonly nccl: OpenExecutor | undefined;
  private readonly servers = new Map<string, ServedStore>();
  private readonly files = new Map<string, ServedStore & { users: number }>();
  private readonly worlds = new Map<string, DistributedWorld>();
  private readonly waiting = new Map<string, Set<(store: ServedStore) => void>>();
  private nextId = 0;

  constructor({ nccl = onArrays }: ClusterOptions = {}) {
    this.nccl = nccl === false ? undefined : nccl;
  }

  /** A TCPStore's server, on the machine `own`. */
  listen(own: string, host: string, port: number): ServedStore {
    const machine = resolve(own, host);
    const where = `[::]:${port}`;
    if (machine !== own)
      throw cannotListen(
        where,
        'errno: 99 - Cannot assign requested address',
        `Rank 0 runs on ${own}, MASTER_ADDR is ${host}: it must name the machine of rank 0.`,
      );
    const key = `${machine}:${port}`;
    if (this.servers.has(key))
      throw cannotListen(
        where,
        'errno: 98 - Address already in use',
        'Two processes have rank 0, or another job uses the port: give each process its own rank, or choose a free MASTER_PORT.',
      );
    const served = { id: `tcp://${key}#${this.nextId++}`, store: new HashStore() };
    this.servers.set(key, served);
    for (const found of this.waiting.get(key) ?? []) found(served);
    this.waiting.delete(key);
    return served;
  }

  /** Waits until a store listens there. */
  async connect(own: string, host: string, port: number, timeoutMs: number): Promise<ServedStore> {
    const key = `${resolve(own, host)}:${port}`;
    const there = this.servers.get(key);
    if (there) return there;
    return new Promise((found, fail) => {
      const waiters = this.waiting.get(key) ?? new Set();
      this.waiting.set(key, waiters);
      const timer = setTimeout(() => {
        waiters.delete(arrived);
        fail(
          torchError(
            'TimeoutError',
            `The client socket has timed out after ${timeoutMs / 1000}s while trying to connect to (${host}, ${port}).`,
            'No process listens there: rank 0 has not started, or MASTER_ADDR and MASTER_PORT differ between the ranks.',
            { host, port },
            'timeout',
          ),
        );
      }, timeoutMs);
      const arrived = (store: ServedStore) => {
        clearTimeout(timer);
        found(store);
      };
      waiters.add(arrived);
    });
  }

  close(served: ServedStore): void {
    for (const [key, other] of this.servers) if (other.id === served.id) this.servers.delete(key);
  }

  /** A FileStore's file, which all machines see. It is deleted with its last user. */
  file(path: string): ServedStore {
    const found = this.files.get(path) ?? { id: `file://${path}#${this.nextId++}`, store: new HashStore(), users: 0 };
    found.users++;
    this.files.set(path, found);
    return found;
  }

  closeFile(path: string): void {
    const found = this.files.get(path);
    if (found && --found.users === 0) this.files.delete(path);
  }

  /** The world of the ranks that met through a store. */
  world(storeId: string, worldSize: number): DistributedWorld {
    const known = this.worlds.get(storeId);
    if (known) return known;
    const world = new DistributedWorld(worldSize, this.nccl, () => this.worlds.delete(storeId));
    this.worlds.set(storeId, world);
    return world;
  }
}

/** Loopback addresses mean the machine itself. */
const resolve = (own: string, host: string): string => (LOOPBACK.includes(host) ? own : host);

const cannotListen = (where: string, why: string, hint: string): LockstepError =>
  torchError(
    'RuntimeError',
    `The server socket has failed to listen on any local network address. The server socket has failed to bind to ${where} (${why}).`,
    hint,
  );
