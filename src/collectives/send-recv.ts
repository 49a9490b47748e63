/**
 * torch.distributed.send and recv, isend and irecv, and batch_isend_irecv: messages from one rank of a group to
 * another. All messages of one call are in flight at once: every rank posts its sends before it waits for its receives,
 * so that neighbours can exchange without a deadlock. Called by distributed/.
 */
import { at } from '../base/invariant';
import type { ProgramBuilder } from '../program/builder';
import type { Where } from '../program/lane-builder';
import type { Group } from '../protocol/mesh';
import type { Payload, Rank, Slice } from '../protocol/trace';

export interface PointToPoint {
  readonly from: Rank;
  readonly to: Rank;
  readonly source: Slice;
  readonly target: Slice;
}

export interface SendRecvCall {
  readonly builder: ProgramBuilder;
  /** Ranks of the group, each with one device. */
  readonly group: Group;
  readonly messages: readonly PointToPoint[];
  readonly payload: Payload;
  /** Position in the group's sequence of point-to-point operations (PyTorch's p2p_seq_id). */
  readonly seq: number;
  readonly where: Where;
}

/** Empty messages are not sent. */
export function emitSendRecv({ builder, group, messages, payload, seq, where }: SendRecvCall): void {
  const collective = {
    seq,
    op: 'sendRecv',
    algorithm: 'direct',
    ...(group.id === builder.mesh.world.id ? {} : { group }),
  } as const;
  builder.exchange(
    messages
      .filter(({ source }) => source.length > 0)
      .map(({ from, to, source, target }) => ({
        from: { device: builder.deviceOf(at(group.ranks, from)), slice: source, where },
        to: { device: builder.deviceOf(at(group.ranks, to)), slice: target, where },
        what: { name: `${source.buffer}.send`, payload, collective },
      })),
  );
}
