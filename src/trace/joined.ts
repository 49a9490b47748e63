/**
 * Halves are received into a separate buffer, because a receive can only add float32, and an operator ('halves/add')
 * adds them (collectives/halves/sum-of-halves). Views show them as if they arrived in the chunk. Pure.
 */
import type { Slice } from '../protocol/trace';

const BESIDE = /\.received(@\d+)?$/;

/** The stretch that a receive belongs to: for halves the stretch to which they are added, otherwise the written one. */
export const joinedSlice = (received: Slice, sent: Slice | undefined): Slice =>
  sent && isBeside(received, sent) ? sent : received;

/** Whether an operator adds the received halves. In a gather, ranks send and receive in the same buffer. */
export const isBeside = (received: Slice, sent: Slice): boolean =>
  received.buffer !== sent.buffer && BESIDE.test(received.buffer);
