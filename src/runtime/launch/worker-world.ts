/**
 * A world whose processes live in workers of their own: spawns them, hands out the mesh of ports once, fans calls out and merges the answers. A
 * worker that dies, or does not answer for too long, becomes a typed error on every call that waits, and on every later one.
 */
import * as Comlink from 'comlink';
import { fromWire, isWireError, LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import { within } from '../../base/within';
import type { DeviceIndex, Rank } from '../../protocol/trace';
import { closePorts, createPortMesh } from '../transport/port-transport';
import type { ProcessPlan } from './open-executors';
import type { RankApi } from './rank';
import type { StepFeed, World, WorldPlan } from './world';

/** A rank that has a call to answer and says nothing for that long has failed (PyTorch's default is 30 minutes; a page cannot wait so long). */
const SILENCE_MS = 60_000;
/** Steps a call: a long run is asked for in pieces, so that a slow rank is not taken for a silent one. */
const STEPS_PER_CALL = 8;
/** A rank that is only waiting for another one answers a ping; it is given as long again, so that the silent one is named. */
const PING_MS = 2000;
/** What a rank may take to give its devices back before its worker is ended. */
const FAREWELL_MS = 500;

const HINT = 'Reset to start all ranks again.';

class RankHandle {
  readonly api: Comlink.Remote<RankApi>;
  /** Rejects when the rank is gone: its worker died or fell silent, or its world was disposed. */
  readonly gone: Promise<never>;
  private end: (error: LockstepError) => void = () => {};
  private heard = 0;

  constructor(
    readonly rank: Rank,
    readonly devices: readonly DeviceIndex[],
    private readonly worker: Worker,
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
    worker.addEventListener('messageerror', () => this.fail('received a message it could not read'));
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
      error instanceof LockstepError ? error : new LockstepError('rank-failed', String(error), HINT);
    return Promise.race([this.api.untilLost().then(fromWire), this.gone]).catch(asError);
  }

  async dispose(): Promise<void> {
    await within(FAREWELL_MS, Promise.race([this.api.dispose(), this.gone])).catch(() => {});
    this.end(new LockstepError('aborted', 'The process group was destroyed.'));
    this.worker.terminate();
  }

  private fail(what: string): void {
    const devices = this.devices.map((device) => `cuda:${device}`).join(', ');
    this.end(new LockstepError('rank-failed', `Rank ${this.rank} (${devices}) ${what}.`, HINT, { rank: this.rank }));
  }
}

function spawn(rank: Rank): Worker {
  return new Worker(new URL('./rank-worker.ts', import.meta.url), { type: 'module', name: `rank ${rank}` });
}

export async function createWorkerWorld(
  plan: WorldPlan,
  kind: 'webgpu' | 'cpu',
  rankOfDevice: readonly Rank[],
): Promise<World> {
  const mesh = createPortMesh(rankOfDevice.length);
  const ranks: RankHandle[] = [];
  const dispose = async () => {
    await Promise.all(ranks.map((rank) => rank.dispose()));
  };
  const all = <T>(call: (rank: RankHandle) => Promise<T>): Promise<T[]> =>
    Promise.all(ranks.map((rank) => rank.answer(call(rank))));
  const ownerOf = (device: DeviceIndex): RankHandle =>
    must(
      ranks.find((r) => r.devices.includes(device)),
      `rank of cuda:${device}`,
    );
  const open = (rank: RankHandle) => {
    const ports = new Map(rank.devices.map((d) => [d, must(mesh[d], `ports of cuda:${d}`)]));
    const own: ProcessPlan = { kind, programs: plan.programs, devices: rank.devices, ports };
    const handedOver = [...ports.values()].flatMap((m) => [...m.values()]);
    return rank.api.open(Comlink.transfer(own, handedOver), plan.table);
  };

  try {
    for (const rank of new Set(rankOfDevice)) {
      const devices = rankOfDevice.flatMap((r, device) => (r === rank ? [device] : []));
      ranks.push(new RankHandle(rank, devices, spawn(rank)));
    }
    const info = must((await all(open))[0], 'a rank');
    return {
      info,
      lost: Promise.race(ranks.map((rank) => rank.untilLost())),
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
        const pieces = piecesOf(feeds).map(async (piece) => {
          const perRank = await all((rank) => rank.api.run(piece));
          return piece.map((_, s) => perRank.flatMap((steps) => steps[s] ?? []));
        });
        return (await Promise.all(pieces)).flat();
      },
      async trace(feed) {
        const perRank = await all((rank) => rank.api.trace(feed));
        return { records: perRank.flatMap((r) => r.records), losses: perRank.flatMap((r) => r.losses) };
      },
      async corrupt(corruption) {
        await all((rank) => rank.api.corrupt(corruption));
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
  return Array.from({ length: Math.ceil(feeds.length / STEPS_PER_CALL) }, (_, i) =>
    feeds.slice(i * STEPS_PER_CALL, (i + 1) * STEPS_PER_CALL),
  );
}
