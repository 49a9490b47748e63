/**
 * Calls of ranks to the ledger of their group, and its answers. Plain data that may come from another thread. Ranks are
 * counted within the group.
 */

import type { Fingerprint } from '../../program/fingerprint';
import type { DType, Shape } from '../../tensor/shape';
import type { CallSite } from '../call-site';

export interface LedgerCollective {
  readonly rank: number;
  readonly seq: number;
  readonly fingerprint: Fingerprint;
  readonly timeoutMs: number;
  readonly site: CallSite | undefined;
}

export interface PeerCall {
  readonly kind: 'send' | 'recv';
  readonly rank: number;
  /** Undefined: from any rank. */
  readonly peer: number | undefined;
  readonly tag: number;
  readonly shape: Shape;
  readonly dtype: DType;
  readonly timeoutMs: number;
  readonly site: CallSite | undefined;
}

/** Permission to run. complete() returns the `id`. */
export interface LedgerPass {
  readonly id: number;
  /** send and recv: the other side, and the number of the message between the two. */
  readonly peer?: number;
  readonly message?: number;
}

/** The ledger's interface for a rank. */
export interface Ledger {
  /** Resolves when every rank of the group has entered this position of the sequence with the same fingerprint. */
  enter(call: LedgerCollective): Promise<LedgerPass>;
  /**
   * Resolves when the other side has called: sends and recvs with one tag between two ranks pair in the order of the
   * calls.
   */
  meet(call: PeerCall): Promise<LedgerPass>;
  /** Reports that the permitted call is done. */
  complete(id: number): Promise<void>;
}
