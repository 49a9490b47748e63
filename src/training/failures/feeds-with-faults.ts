/** What a world is given for each micro-batch, with the fault that is planned for it. */
import type { StepBatch } from '../../data/batch-source';
import { programOf } from '../../program/program-of';
import { programKey } from '../../protocol/step-kind';
import type { Fault, StepFeed } from '../../runtime/launch/world';
import type { Blueprint } from '../blueprint';
import { inPrograms } from '../in-programs';
import type { FaultPlan } from './fault-plan';

export interface FeedsWithFaults {
  one(batch: StepBatch): StepFeed;
  /** As few as the Programs allow; `apart`: one per micro-batch. */
  all(batches: readonly StepBatch[], apart: boolean): readonly StepFeed[];
}

/** Takes each fault out of the plan. `skipped`: steps that the GradScaler has skipped so far. */
export function feedsWithFaults(blueprint: Blueprint, faults: FaultPlan, skipped: () => number): FeedsWithFaults {
  const faultAt = (batch: StepBatch): Fault | undefined =>
    faults.take(
      batch.microBatch,
      () => programOf(blueprint.programs, programKey(blueprint.kindOf(batch))),
      blueprint.processOfDevice,
    );
  const feedOf = (batch: StepBatch, fault: Fault | undefined): StepFeed => {
    const feed = blueprint.feed([batch], skipped());
    return fault ? { ...feed, fault } : feed;
  };
  return {
    one: (batch) => feedOf(batch, faultAt(batch)),
    all: (batches, apart) =>
      inPrograms(batches, blueprint.togetherAt).flatMap((group) => {
        const struck = group.map(faultAt);
        // A fault names what a Program of one micro-batch does: then each runs by itself.
        if (group.length === 1 || apart || struck.some((fault) => fault))
          return group.map((batch, i) => feedOf(batch, struck[i]));
        return [blueprint.feed(group, skipped())];
      }),
  };
}
