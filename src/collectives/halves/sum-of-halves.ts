/**
 * How the hops of an all-reduce add words that hold halves: the message goes into a separate buffer, and an operator
 * adds it, because a receive can only add float32. Called by recipe.ts.
 */

import type { LaneBuilder } from '../../program/lane-builder';
import type { Slice } from '../../protocol/trace';
import type { HalfFormat } from '../../tensor/half-bits';
import type { NumberedCall } from '../collective';
import type { Round } from '../hop';
import { laneOf } from '../local-steps';

export interface Join {
  /** Where the received words go. */
  into(target: Slice): Slice;
  /** Adds them to the target. */
  add(target: Slice): (lane: LaneBuilder) => void;
}

export function sumOfHalves(call: NumberedCall, format: HalfFormat, rounds: readonly Round[]): Join {
  const buffer = `${call.input}.received`;
  const longest = rounds.flat().reduce((most, { joins, source }) => (joins ? Math.max(most, source.length) : most), 1);
  for (const rank of call.group.ranks.keys()) {
    const lane = laneOf(call, rank);
    const spec = { name: buffer, shape: [longest], dtype: 'i32', persistent: false } as const;
    lane.buffer({ ...spec, category: 'communication', halves: { format, shape: [2 * longest] } });
  }
  return {
    into: ({ length }) => ({ buffer, offset: 0, length }),
    add: (target) => (lane) => {
      const attrs = { format, to: target.offset, length: target.length };
      const where = call.bucket === undefined ? call.where : { ...call.where, bucket: call.bucket };
      lane.compute('halves/add', [buffer, target.buffer], [target.buffer], attrs, where);
    },
  };
}
