/** The host's input to each micro-batch, with its planned fault. */
import type { StepBatch } from '../../data/batch-source';
import { programOf } from '../../program/program-of';
import { programKey } from '../../protocol/step-kind';
import type { Fault, StepFeed } from '../../runtime/launch/world';
import type { Blueprint } from '../blueprint';
import { inPrograms } from '../in-programs';
import type { FaultPlan } from './fault-plan';

export interface FeedsWithFaults {
  one(batch: StepBatch): StepFeed;
  /** As few feeds as the Programs allow; `apart`: one per micro-batch. */
  all(batches: readonly StepBatch[], apart: boolean): readonly StepFeed[];
}

/** Takes each fault off the plan. `skipped`: steps that the GradScaler has skipped so far. */
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
        // A fault names an instruction of a Program with one micro-batch, so then each micro-batch runs alone.
        if (group.length === 1 || apart || struck.some((fault) => fault))
          return group.map((batch, i) => feedOf(batch, struck[i]));
        return [blueprint.feed(group, skipped())];
      }),
  };
}
