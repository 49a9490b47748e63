/**
 * The ledger of one group: every rank enters its next call, and continues when all have entered the same call. The
 * ledger compares fingerprints, watches the timeouts (the watchdog), and notifies every rank of the group if a rank
 * makes another call, is late or has ended. It moves no data. Methods are asynchronous and take plain data, so that
 * ranks may run in workers; ranks are counted within the group.
 */
import type { LockstepError } from '../../base/errors';
import { at, must } from '../../base/invariant';
import { callName, fingerprintText } from '../../program/fingerprint';
import type { Backend } from '../../protocol/process-group';
import { DTYPE_NAME } from '../../tensor/dtype-name';
import { siteText } from '../call-site';
import { torchError } from '../torch-error';
import type { Ledger, LedgerCollective, LedgerPass, PeerCall } from './calls';
import { peerTimeout, timeoutText } from './timeout-text';
import type { Stay, Whereabouts } from './whereabouts';

interface Entry {
  readonly id: number;
  readonly rank: number;
  readonly stay: Stay;
  readonly collective?: LedgerCollective;
  readonly p2p?: PeerCall;
  readonly timer: ReturnType<typeof setTimeout>;
  free: boolean;
  resolve(pass: LedgerPass): void;
  reject(error: LockstepError): void;
}

/** The recipient of an error. */
type Addressee = Pick<Entry, 'rank' | 'collective'>;

export class GroupLedger implements Ledger {
  private readonly entries = new Map<number, Entry>();
  private readonly messages = new Map<string, number>();
  private readonly listeners = new Set<(error: LockstepError) => void>();
  /** Makes the error for a rank that calls a failed group. */
  private failure: ((to: Addressee) => LockstepError) | undefined;
  private nextId = 0;

  constructor(
    readonly name: string,
    /** Global ranks in order of their rank here. */
    readonly ranks: readonly number[],
    private readonly backend: Backend,
    private readonly whereabouts: Whereabouts,
  ) {}

  async enter(call: LedgerCollective): Promise<LedgerPass> {
    this.refuseIfFailed({ rank: call.rank, collective: call });
    const name = callName(call.fingerprint.opType);
    const passed = this.wait(call, { call: `${name} (seq ${call.seq})`, site: call.site }, { collective: call });
    const here = this.at(call.seq);
    const calls = here.flatMap(({ collective }) => collective ?? []);
    if (calls.some((other) => !agree(other, call)))
      this.fail(({ rank, collective }) =>
        this.mismatch(rank, collective?.seq === call.seq ? collective : undefined, calls),
      );
    else if (here.length === this.ranks.length) for (const entry of here) this.free(entry, {});
    else this.refuseIfGone(here);
    return passed;
  }

  async meet(call: PeerCall): Promise<LedgerPass> {
    this.refuseIfFailed({ rank: call.rank });
    const global = call.peer === undefined ? 'anybody' : `rank ${this.global(call.peer)}`;
    const stay = {
      call: `${call.kind} ${call.kind === 'send' ? 'to' : 'from'} ${global}${call.tag === 0 ? '' : ` (tag ${call.tag})`}`,
      site: call.site,
    };
    const passed = this.wait(call, stay, { p2p: call });
    const own = must([...this.entries.values()].at(-1), 'the entry just made');
    const other = [...this.entries.values()].find((entry) => !entry.free && pairs(entry, own));
    if (other) this.pair(own, other);
    else this.refuseIfGone([own]);
    return passed;
  }

  async complete(id: number): Promise<void> {
    const entry = this.entries.get(id);
    if (!entry) return;
    this.remove(entry);
    if (entry.collective) {
      const { seq, fingerprint } = entry.collective;
      this.whereabouts.completed(this.global(entry.rank), this.name, `seq ${seq} (${callName(fingerprint.opType)})`);
    }
  }

  /** The rank leaves: ranks that need it get the error now, not after their timeout. */
  leave(rank: number, why: string): void {
    this.whereabouts.gone(this.global(rank), why);
    for (const entry of this.entries.values()) {
      if (entry.rank !== rank) continue;
      this.remove(entry);
      entry.reject(
        torchError(
          'RuntimeError',
          `Rank ${this.global(rank)} ${why} while it was in ${entry.stay.call}.`,
          '',
          {},
          'aborted',
        ),
      );
    }
    this.refuseIfGone([...this.entries.values()].filter(({ free }) => !free));
  }

  /** Ends the group on all ranks. */
  abort(error: LockstepError): void {
    this.fail(() => error);
  }

  onFailure(listener: (error: LockstepError) => void): void {
    this.listeners.add(listener);
  }

  private wait(
    { rank, timeoutMs }: { readonly rank: number; readonly timeoutMs: number },
    stay: Stay,
    what: Pick<Entry, 'collective' | 'p2p'>,
  ): Promise<LedgerPass> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.timedOut(id, timeoutMs), timeoutMs);
      this.entries.set(id, { id, rank, stay, ...what, timer, free: false, resolve, reject });
      this.whereabouts.enter(this.global(rank), stay);
    });
  }

  private free(entry: Entry, pass: Omit<LedgerPass, 'id'>): void {
    entry.free = true;
    entry.resolve({ id: entry.id, ...pass });
  }

  private remove(entry: Entry): void {
    clearTimeout(entry.timer);
    this.entries.delete(entry.id);
    this.whereabouts.leave(this.global(entry.rank), entry.stay);
  }

  private pair(a: Entry, b: Entry): void {
    const [x, y] = [must(a.p2p, 'a p2p call'), must(b.p2p, 'a p2p call')];
    const [send, recv] = x.kind === 'send' ? [x, y] : [y, x];
    const size = (call: PeerCall) => call.shape.reduce((n, d) => n * d, 1);
    if (size(send) !== size(recv) || send.dtype !== recv.dtype) {
      const side = (call: PeerCall) => `[${call.shape.join(', ')}] ${DTYPE_NAME[call.dtype]}${siteText(call.site)}`;
      const text = `Rank ${this.global(send.rank)} sends ${side(send)}, but rank ${this.global(recv.rank)} receives ${side(recv)}.`;
      this.fail(() =>
        torchError(
          'RuntimeError',
          text,
          'Both sides must use the same size and dtype. (gloo aborts the process if the message is too long, and fills only part of the tensor if it is too short.)',
        ),
      );
      return;
    }
    const key = `${send.rank}>${recv.rank} ${send.tag}`;
    const message = this.messages.get(key) ?? 0;
    this.messages.set(key, message + 1);
    this.free(a, { peer: b.rank, message });
    this.free(b, { peer: a.rank, message });
  }

  private fail(cause: (to: Addressee) => LockstepError): void {
    if (this.failure) return;
    this.failure = cause;
    const entries = [...this.entries.values()];
    for (const entry of entries) this.remove(entry);
    for (const entry of entries) entry.reject(cause(entry));
    for (const listener of this.listeners) listener(cause({ rank: 0 }));
  }

  private timedOut(id: number, timeoutMs: number): void {
    const late = this.entries.get(id);
    if (!late) return;
    const seq = late.collective?.seq;
    const here = seq === undefined ? [late] : this.at(seq);
    const waiting = here.map((entry) => this.whereabouts.waits(this.global(entry.rank), entry.stay));
    const absent = seq === undefined ? [late.p2p?.peer ?? -1].filter((rank) => rank >= 0) : this.absent(here);
    const missing = absent.map((rank) => this.whereabouts.missing(this.global(rank), this.name));
    const what = { waiting, missing, timeoutMs, absent: absent.map((rank) => this.global(rank)) };
    this.fail(({ rank }) =>
      late.collective
        ? timeoutText(this.global(rank), late.collective, this.backend, what)
        : peerTimeout(must(late.p2p, 'a p2p call').kind, what),
    );
  }

  private mismatch(rank: number, own: LedgerCollective | undefined, calls: readonly LedgerCollective[]): LockstepError {
    const mine = own ?? calls.find((call) => call.rank === rank) ?? at(calls, 0);
    const other = calls.find((call) => !agree(call, mine)) ?? at(calls, 0);
    const text = ({ rank: r, seq, fingerprint }: LedgerCollective) =>
      `Rank ${this.global(r)} is running collective: ${fingerprintText(seq, fingerprint)}`;
    // PyTorch does not name the lines; our words follow PyTorch's unchanged message and are marked as ours.
    const places = [mine, other].flatMap(({ rank: r, site }) =>
      site ? [`rank ${this.global(r)}${siteText(site)}`] : [],
    );
    const where = places.length === 0 ? '' : ` [Lockstep: ${places.join(', ')}]`;
    return torchError(
      'RuntimeError',
      `Detected mismatch between collectives on ranks. ${text(mine)}, but ${text(other)}.${where}`,
      'Every rank must issue the same collectives in the same order, with tensors of the same shape and dtype.',
      {
        seq: mine.seq,
        group: this.name,
        sites: Object.fromEntries(calls.map((call) => [this.global(call.rank), call.site])),
      },
    );
  }

  private at(seq: number): Entry[] {
    return [...this.entries.values()].filter((entry) => entry.collective?.seq === seq);
  }

  private absent(here: readonly Entry[]): number[] {
    return this.ranks.map((_, rank) => rank).filter((rank) => !here.some((entry) => entry.rank === rank));
  }

  /** The peers that an entry needs. */
  private needs(entry: Entry): number[] {
    if (entry.collective) return this.absent(this.at(entry.collective.seq));
    const peer = entry.p2p?.peer;
    return peer === undefined ? [] : [peer];
  }

  private refuseIfGone(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const gone = this.needs(entry).find((rank) => this.whereabouts.whyGone(this.global(rank)) !== undefined);
      if (gone === undefined) continue;
      const peer = this.global(gone);
      const waits = this.whereabouts.waits(this.global(entry.rank), entry.stay);
      const text = `Connection closed by peer [rank ${peer}]: ${waits}; ${this.whereabouts.missing(peer, this.name)}.`;
      this.fail(() =>
        torchError(
          'RuntimeError',
          text,
          `Look for the cause on rank ${peer}: it failed first.`,
          { peer },
          'rank-failed',
        ),
      );
      return;
    }
  }

  private refuseIfFailed(to: Addressee): void {
    if (this.failure) throw this.failure(to);
  }

  private global(rank: number): number {
    return at(this.ranks, rank);
  }
}

function agree(a: LedgerCollective, b: LedgerCollective): boolean {
  return fingerprintText(0, a.fingerprint) === fingerprintText(0, b.fingerprint);
}

function pairs({ p2p: a }: Entry, { p2p: b }: Entry): boolean {
  if (!a || !b || a.kind === b.kind || a.tag !== b.tag || a.rank === b.rank) return false;
  return (a.peer === undefined || a.peer === b.rank) && (b.peer === undefined || b.peer === a.rank);
}
