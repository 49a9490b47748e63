/**
 * What crosses from one stage to the next: a whole buffer, which has the same name on both sides, between the compute
 * queues of two ranks. Activations go forward as soon as they are made, gradients back. Called by walk.ts.
 */
import type { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder, Where } from '../../program/lane-builder';

const FORWARD: Where = { phase: 'forward', anchor: 'send_activation' };
const BACKWARD: Where = { phase: 'backward', anchor: 'send_gradient' };

export interface Crossing {
  readonly buffer: string;
  readonly payload: 'activation' | 'gradient';
  readonly microBatch: number;
}

const whereOf = (payload: Crossing['payload']): Where => (payload === 'activation' ? FORWARD : BACKWARD);

export function sendOver(
  builder: ProgramBuilder,
  [source, target]: readonly [LaneBuilder, LaneBuilder],
  { buffer, payload, microBatch }: Crossing,
): void {
  const comm: Where = { ...whereOf(payload), queue: 'comm' };
  source.handOver('compute', 'comm', comm);
  builder.transfer(
    { device: source.device, slice: source.whole(buffer), where: comm },
    { device: target.device, slice: target.whole(buffer), where: comm },
    { name: `${buffer}@${microBatch}`, payload },
  );
  target.signal('comm', `${buffer}.received`);
}

/** The compute queue waits for the buffer. */
export const waitFor = (lane: LaneBuilder, buffer: string, payload: Crossing['payload']): void =>
  lane.wait(`${buffer}.received`, whereOf(payload));
