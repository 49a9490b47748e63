/**
 * Transfers between neighbouring stages: a whole buffer, with the same name on both sides, between the compute queues
 * of two ranks. Activations are sent forward and gradients back as soon as they are computed; a stage on the same rank
 * reads the buffer in place. Called by walk.ts, for steps with several stages.
 */
import { at, must } from '../../base/invariant';
import type { ProgramBuilder } from '../../program/builder';
import type { Where } from '../../program/lane-builder';
import type { PipelineAction } from '../../protocol/pipeline';
import { arrivingBuffer, leavingBuffer, unpackArrived } from '../emit-halves';
import type { StagePlace } from './place';
import type { StageUse, SyncedStage } from './sync';

const FORWARD: Where = { phase: 'forward', anchor: 'send_activation' };
const BACKWARD: Where = { phase: 'backward', anchor: 'send_gradient' };

export interface Borders {
  /** Before an action: the compute queue waits for the tensor from the other rank. */
  receive(action: PipelineAction, work: SyncedStage): void;
  /** After an action. `begin`: tells the stage's lanes that what follows belongs to the action `of`. */
  send(use: StageUse, begin: (action: PipelineAction, of: PipelineAction) => StageUse): void;
}

export function createBorders(builder: ProgramBuilder, stages: readonly StagePlace[]): Borders {
  const lastStage = stages.length - 1;
  /** The stage that an action receives from or sends to, if it is on another rank. */
  const other = (stage: number, neighbour: number): number | undefined => {
    if (neighbour < 0 || neighbour > lastStage) return undefined;
    return at(stages, stage).lanes[0] === at(stages, neighbour).lanes[0] ? undefined : neighbour;
  };
  return {
    receive({ stage, kind }, { lane, graph }) {
      if (kind === 'W' || other(stage, kind === 'F' ? stage - 1 : stage + 1) === undefined) return;
      const [buffer, where] = kind === 'F' ? [graph.input, FORWARD] : [graph.outputGradient, BACKWARD];
      lane.wait(`${buffer}.received`, where);
      unpackArrived(lane, graph.graph, buffer, where);
    },
    send({ action, works }, begin) {
      const { stage, kind, microBatch } = action;
      const forward = kind === 'F';
      const to = kind === 'W' ? undefined : other(stage, forward ? stage + 1 : stage - 1);
      if (to === undefined) return;
      const comm: Where = { ...(forward ? FORWARD : BACKWARD), queue: 'comm' };
      const there = begin({ ...action, stage: to }, action);
      for (const [i, { lane: source, graph }] of works.entries()) {
        const { lane: target, graph: next } = at(there.works, i);
        const buffer = forward ? graph.output : must(graph.inputGradient, 'input gradient');
        const leaving = leavingBuffer(source, graph.graph, buffer, { ...comm, queue: 'compute' });
        const arriving = arrivingBuffer(target, next.graph, buffer);
        source.handOver('compute', 'comm', comm);
        builder.transfer(
          { device: source.device, slice: source.whole(leaving), where: comm },
          { device: target.device, slice: target.whole(arriving), where: comm },
          { name: `${buffer}@${microBatch}`, payload: forward ? 'activation' : 'gradient' },
        );
        target.signal('comm', `${buffer}.received`);
      }
    },
  };
}
