/**
 * Compilers write Programs with this builder: one LaneBuilder per device, ids and tags over the whole mesh, and
 * transfers, each a send in one lane and a recv in another.
 */
import { must } from '../base/invariant';
import type { OpTable } from '../graph/op';
import type { DeviceMesh } from '../mesh/device-mesh';
import type { Group } from '../protocol/mesh';
import { ALONE, type StepKind } from '../protocol/step-kind';
import type { Apply, CollectiveRef, DeviceIndex, Payload, Rank, Slice } from '../protocol/trace';
import { expandViews } from './expand-views';
import type { Program } from './instruction';
import { LaneBuilder, type Where } from './lane-builder';

/** One side of a transfer. */
export interface Endpoint {
  readonly device: DeviceIndex;
  readonly slice: Slice;
  readonly where: Where;
}

export interface Message {
  readonly name: string;
  readonly payload: Payload;
  readonly apply?: Apply;
  readonly collective?: CollectiveRef;
}

export interface Exchanged {
  readonly from: Endpoint;
  readonly to: Endpoint;
  readonly what: Message;
  /** Emits the receiver's work on the message. */
  readonly received?: ((lane: LaneBuilder) => void) | undefined;
}

export class ProgramBuilder {
  private id = 0;
  /** Number of collectives so far, by group. */
  private readonly sequence = new Map<Group['id'], number>();
  readonly lanes: readonly LaneBuilder[];

  constructor(
    readonly mesh: DeviceMesh,
    ops: OpTable,
  ) {
    this.lanes = mesh.rankOfDevice.map(
      (rank, device) => new LaneBuilder(device, rank, mesh.dataIndex(rank), ops, () => this.id++),
    );
  }

  lane(device: DeviceIndex): LaneBuilder {
    return must(this.lanes[device], `lane of cuda:${device}`);
  }

  /** From here on, instructions on all lanes belong to this micro-batch of the Program (from 0, in ascending order). */
  startMicroBatch(microBatch: number): void {
    for (const lane of this.lanes) lane.startMicroBatch(microBatch);
  }

  /** The device of a rank that drives only one. */
  deviceOf(rank: Rank): DeviceIndex {
    return must(this.mesh.devicesOf(rank)[0], `device of rank ${rank}`);
  }

  /** Lanes of the ranks of a group, in its order. */
  lanesOf({ ranks }: Group): readonly LaneBuilder[] {
    return ranks.map((rank) => this.lane(this.deviceOf(rank)));
  }

  /** Position of the group's next collective in its sequence within the step. */
  nextSeq({ id }: Group = this.mesh.world): number {
    const seq = this.sequence.get(id) ?? 0;
    this.sequence.set(id, seq + 1);
    return seq;
  }

  /** Emits a matching send and recv with a unique tag. */
  transfer(from: Endpoint, to: Endpoint, what: Message): void {
    this.exchange([{ from, to, what }]);
  }

  /**
   * Emits transfers that belong together, such as one round of a ring: every device posts its sends before it waits for
   * its receives.
   */
  exchange(transfers: readonly Exchanged[]): void {
    const tagged = transfers.map((transfer, i) => ({
      ...transfer,
      tag: `${transfer.what.name}:${transfer.from.device}>${transfer.to.device}#${this.id + i}`,
    }));
    for (const { from, to, what, tag } of tagged) {
      const { payload, collective } = what;
      const message = { peer: to.device, slice: from.slice, tag, payload, ...(collective ? { collective } : {}) };
      this.lane(from.device).send(message, from.where);
    }
    for (const { from, to, what, tag, received } of tagged) {
      const { payload, collective, apply = 'put' } = what;
      const message = {
        peer: from.device,
        slice: to.slice,
        apply,
        tag,
        payload,
        ...(collective ? { collective } : {}),
      };
      this.lane(to.device).recv(message, to.where);
      received?.(this.lane(to.device));
    }
  }

  finish(mode: string, kind: StepKind = ALONE): Program {
    const lanes = this.lanes.map((lane) => lane.finish());
    const views = new Map(this.lanes.map((lane) => [lane.device, lane.views]));
    return { mode, kind, lanes: expandViews(lanes, views, () => this.id++) };
  }
}
