/**
 * Halves are received beside what they join, since a receive adds float32, and an operator ('halves/add') adds them
 * (collectives/halves/sum-of-halves). For whoever shows a chunk, they arrive in the chunk. Pure.
 */
import type { Slice } from '../protocol/trace';

const BESIDE = /\.received(@\d+)?$/;

/** The stretch that a receive belongs to: of a tensor in halves the one that is added to, else the one written. */
export const joinedSlice = (received: Slice, sent: Slice | undefined): Slice =>
  sent && isBeside(received, sent) ? sent : received;

/** Whether an operator adds what was received. Where pieces are gathered, ranks send and receive in the same buffer. */
export const isBeside = (received: Slice, sent: Slice): boolean =>
  received.buffer !== sent.buffer && BESIDE.test(received.buffer);
