/**
 * A world whose processes live in workers of their own: spawns them, hands out the mesh of ports once, fans calls out
 * and merges the answers. A worker that dies, lets others wait for too long or does not answer becomes a typed error on
 * every call that waits, and on every later one; the remaining ranks get it at once.
 */
import * as Comlink from 'comlink';
import { fromWire, isWireError, LockstepError, toWire } from '../../base/errors';
import { must } from '../../base/invariant';
import { underPolicy } from '../../base/policy-worker';
import { hearStrayRejections } from '../../base/stray-rejections';
import { within } from '../../base/within';
import type { DeviceIndex, Rank } from '../../protocol/trace';
import { closePorts, createPortMesh } from '../transport/port-transport';
import { groupTimeout, rankFailed } from './group-failure';
import { Lifeline } from './lifeline';
import type { RankApi, RankPlan } from './rank';
import type { FailureDetails, Fault, GroupOptions, StandsAt, StepFeed, World, WorldPlan } from './world';

/**
 * A rank that has a call to answer and says nothing for that long has failed (PyTorch waits 10 minutes with NCCL, 30
 * with gloo; a page cannot wait so long).
 */
const SILENCE_MS = 60_000;
/** Micro-batches a call: a long run is asked for in pieces, so that a slow rank is not taken for a silent one. */
const MICRO_BATCHES_PER_CALL = 8;
/**
 * A rank that is only waiting for another one answers a ping; it is given as long again, so that the silent one is
 * named.
 */
const PING_MS = 2000;
/** What a rank may take to give its devices back before its worker is ended. */
const FAREWELL_MS = 500;
/** What the ranks that are left may take to say where they stand. */
const POSITIONS_MS = 300;

class RankHandle {
  readonly api: Comlink.Remote<RankApi>;
  /** Rejects when the rank is gone: its worker died or fell silent, or its world was disposed. */
  readonly gone: Promise<never>;
  readonly lifeline = new Lifeline();
  private end: (error: LockstepError) => void = () => {};
  private heard = 0;
  private dead = false;

  constructor(
    readonly rank: Rank,
    readonly devices: readonly DeviceIndex[],
    private readonly worker: Worker,
    /** Called once, with the result. */
    private readonly onFailure: (rank: RankHandle, what: string) => void,
  ) {
    this.gone = new Promise<never>((_, reject) => {
      this.end = reject;
    });
    this.gone.catch(() => {});
    worker.addEventListener('error', (event) => {
      // Else it goes on to whoever started this worker, and the session is taken for dead, too.
      event.preventDefault();
      this.fail(`failed: ${event.message || 'its worker could not be started'}`);
    });
    // On to this worker's own creator, and so to the page.
    hearStrayRejections(worker, (error) => void Promise.reject(error));
    worker.addEventListener('messageerror', () => this.fail('received a message it could not read'));
    void this.lifeline.untilEnd().then(() => this.fail('ended: its worker is gone'));
    this.api = Comlink.wrap<RankApi>(worker);
  }

  /** The answer of the rank, or the error it died of; never left hanging. */
  async answer<T>(call: Promise<T>): Promise<T> {
    const asked = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pinged = false;
    const listen = () => {
      const left = Math.max(asked, this.heard) + SILENCE_MS - performance.now();
      if (left > 0) timer = setTimeout(listen, left);
      else if (pinged) this.fail(`has not answered for ${SILENCE_MS / 1000} s`);
      else {
        pinged = true;
        this.ping();
        timer = setTimeout(listen, PING_MS);
      }
    };
    listen();
    try {
      return await Promise.race([call, this.gone]);
    } catch (error) {
      throw isWireError(error) ? fromWire(error) : error;
    } finally {
      this.heard = performance.now();
      clearTimeout(timer);
    }
  }

  private ping(): void {
    const heard = () => {
      this.heard = performance.now();
    };
    this.api.ping().then(heard, heard);
  }

  /** Resolves with why the rank, or its device, is lost. */
  untilLost(): Promise<LockstepError> {
    const asError = (error: unknown): LockstepError =>
      error instanceof LockstepError ? error : new LockstepError('rank-failed', String(error));
    return Promise.race([this.api.untilLost().then(fromWire), this.gone]).catch(asError);
  }

  async dispose(): Promise<void> {
    this.lifeline.expectEnd();
    // One that has died would not answer.
    if (!this.dead) await within(FAREWELL_MS, this.api.dispose()).catch(() => {});
    this.close(new LockstepError('aborted', 'The process group was destroyed.'));
    this.kill();
  }

  /** Every call that waits for it, and every later one, ends with this error. */
  close(error: LockstepError): void {
    this.end(error);
  }

  /** Really ends the worker. */
  kill(): void {
    this.dead = true;
    this.lifeline.expectEnd();
    this.worker.terminate();
  }

  /** Tells it that the group has failed elsewhere. */
  abort(error: LockstepError): void {
    if (!this.dead) this.api.abort(toWire(error)).catch(() => {});
  }

  /** Where its devices stand; nothing from one that does not say it in time. */
  async positions(): Promise<readonly StandsAt[]> {
    let found: readonly StandsAt[] = [];
    const asked = this.api.positions().then((positions) => {
      found = positions;
    });
    await within(POSITIONS_MS, asked).catch(() => {});
    return found;
  }

  fail(what: string): void {
    this.dead = true;
    this.onFailure(this, what);
  }
}

function spawn(rank: Rank): Worker {
  return underPolicy(
    (Worker) => new Worker(new URL('./rank-worker.ts', import.meta.url), { type: 'module', name: `rank ${rank}` }),
  );
}

export async function createWorkerWorld(
  plan: WorldPlan,
  kind: 'webgpu' | 'cpu',
  rankOfDevice: readonly Rank[],
  group: GroupOptions,
): Promise<World> {
  const mesh = createPortMesh(rankOfDevice.length);
  const ranks: RankHandle[] = [];
  const dispose = async () => {
    await Promise.all(ranks.map((rank) => rank.dispose()));
  };
  const rankOf = (device: unknown): Rank => must(rankOfDevice[Number(device)], `rank of cuda:${device}`);
  /** Faults of the steps that have been asked for, so that a rank which ends by one is told from one that crashed. */
  const faults = new Map<Rank, Fault>();
  let failing: Promise<LockstepError> | undefined;
  let lose: (error: LockstepError) => void = () => {};
  const failed = new Promise<LockstepError>((resolve) => {
    lose = resolve;
  });
  /** The first failure is everybody's: where the others stand is asked, then they give up what they wait for. */
  const failAll = (
    make: (positions: readonly StandsAt[]) => LockstepError,
    without?: RankHandle,
  ): Promise<LockstepError> => {
    failing ??= (async () => {
      const left = ranks.filter((rank) => rank !== without);
      const error = make((await Promise.all(left.map((rank) => rank.positions()))).flat());
      for (const rank of ranks) {
        if (rank !== without) rank.abort(error);
        rank.close(error);
      }
      lose(error);
      return error;
    })();
    return failing;
  };
  const onFailure = (rank: RankHandle, what: string): void => {
    const fault = faults.get(rank.rank);
    const killed = fault?.what === 'kill';
    void failAll(
      (positions) =>
        rankFailed(rank.rank, rank.devices, killed ? 'was killed' : what, {
          positions,
          ...(killed ? { fault } : {}),
        }),
      rank,
    );
  };
  /** A receive that timed out, or whose peer has gone, is the end of the group, and not only of this rank. */
  const outcome = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      if (failing !== undefined) throw await failing;
      if (!(error instanceof LockstepError)) throw error;
      const { device, peer } = error.details;
      if (error.code === 'timeout' && error.details['positions'] === undefined) {
        const who: Omit<FailureDetails, 'positions'> =
          peer === undefined ? {} : { waiting: rankOf(device), rank: rankOf(peer) };
        throw await failAll((positions) => groupTimeout(error, { ...who, positions }));
      }
      if (error.code === 'rank-failed' && device !== undefined) {
        const lost = ranks.find((r) => r.rank === rankOf(device));
        lost?.fail(`ended: ${error.message}`);
        if (failing !== undefined) throw await failing;
      }
      throw error;
    }
  };
  const all = <T>(call: (rank: RankHandle) => Promise<T>): Promise<T[]> =>
    outcome(Promise.all(ranks.map((rank) => rank.answer(call(rank)))));
  const ownerOf = (device: DeviceIndex): RankHandle =>
    must(
      ranks.find((r) => r.devices.includes(device)),
      `rank of cuda:${device}`,
    );
  const open = (rank: RankHandle) => {
    const ports = new Map(rank.devices.map((d) => [d, must(mesh[d], `ports of cuda:${d}`)]));
    const { lock: lifeLock, port } = rank.lifeline;
    const own: RankPlan = {
      rank: rank.rank,
      lifeLock,
      kind,
      programs: plan.programs,
      devices: rank.devices,
      ports,
      group,
    };
    const handedOver = [...ports.values()].flatMap((m) => [...m.values()]);
    return rank.api.open(Comlink.transfer(own, handedOver), plan.table, Comlink.transfer(port, [port]));
  };

  const noteFaults = (feeds: readonly StepFeed[]) => {
    for (const { fault } of feeds) if (fault) faults.set(fault.rank, fault);
  };

  try {
    for (const rank of new Set(rankOfDevice)) {
      const devices = rankOfDevice.flatMap((r, device) => (r === rank ? [device] : []));
      ranks.push(new RankHandle(rank, devices, spawn(rank), onFailure));
    }
    const opened = await all(open);
    const info = must(opened[0]?.[0], 'a device');
    const infoOf = new Map(
      ranks.flatMap(({ devices }, r) => devices.map((device, k) => [device, opened[r]?.[k] ?? info])),
    );
    for (const rank of ranks) rank.lifeline.watch();
    return {
      info,
      devices: rankOfDevice.map((_, device) => infoOf.get(device) ?? info),
      lost: Promise.race([failed, ...ranks.map((rank) => rank.untilLost())]),
      allocatedBytes: (device) => ownerOf(device).answer(ownerOf(device).api.allocatedBytes(device)),
      async write(writes) {
        await all((rank) => rank.api.write(writes.filter((w) => rank.devices.includes(w.device))));
      },
      async read(refs) {
        const result: Float32Array[] = [];
        await all(async (rank) => {
          const own = refs.map((ref, i) => ({ ref, i })).filter(({ ref }) => rank.devices.includes(ref.device));
          const values = own.length > 0 ? await rank.api.read(own.map(({ ref }) => ref)) : [];
          own.forEach(({ i }, k) => {
            result[i] = must(values[k], 'values');
          });
        });
        return result;
      },
      async run(feeds) {
        noteFaults(feeds);
        const pieces = piecesOf(feeds).map(async (piece) => {
          const perRank = await all((rank) => rank.api.run(piece));
          return piece.map((_, s) => perRank.flatMap((steps) => steps[s] ?? []));
        });
        return (await Promise.all(pieces)).flat();
      },
      async trace(feed) {
        noteFaults([feed]);
        const perRank = await all((rank) => rank.api.trace(feed));
        return { records: perRank.flatMap((r) => r.records), losses: perRank.flatMap((r) => r.losses) };
      },
      async corrupt(corruption) {
        await all((rank) => rank.api.corrupt(corruption));
      },
      async kill(rank) {
        const handle = ranks.find((r) => r.rank === rank);
        handle?.kill();
        handle?.fail('was killed');
      },
      async positions() {
        return (await Promise.all(ranks.map((rank) => rank.positions()))).flat();
      },
      async abort(error) {
        await failAll(() => error);
      },
      async lose() {
        const first = must(ranks[0], 'rank 0');
        await first.answer(first.api.lose());
      },
      dispose,
    };
  } catch (error) {
    await dispose();
    for (const ports of mesh) closePorts(ports);
    throw error;
  }
}

function piecesOf(feeds: readonly StepFeed[]): readonly (readonly StepFeed[])[] {
  const pieces: StepFeed[][] = [];
  let room = 0;
  for (const feed of feeds) {
    const size = Math.max(1, feed.microBatches.length);
    if (room < size) {
      pieces.push([]);
      room = MICRO_BATCHES_PER_CALL;
    }
    pieces.at(-1)?.push(feed);
    room -= size;
  }
  return pieces;
}
