/**
 * What DDP's equal replicas would compute several times, computed once and copied (replicas.ts). Loaded for Programs
 * with replicas, and called by cpu-shared-run.
 */
import { at, must } from '../../base/invariant';
import type { OpTable } from '../../graph/op';
import { type FoldStep, foldMovements } from '../../program/fold-movements';
import type { Program } from '../../program/instruction';
import { type LinearStep, linearize } from '../../program/linearize';
import { programOf } from '../../program/program-of';
import type { Repeated } from '../../program/same-values';
import { programKey } from '../../protocol/step-kind';
import { elements } from '../../tensor/shape';
import { type RepeatedSteps, Replicas } from '../replicas';
import type { CpuContext } from './cpu-context';
import { type CpuAction, localAction, stepActions } from './program-actions';

/** Equal computations of several devices are one step, and all-reduces are folded. */
const groupedSteps = (program: Program, ops: OpTable): readonly (LinearStep | FoldStep)[] =>
  foldMovements(program, linearize(program, { group: true }), ops, () => 'arrays');

/** `long`: the elements from which on a copy is worth it. */
export function replicasOf(programs: readonly Program[], ops: OpTable, long: number): Replicas {
  return new Replicas({
    programs,
    ops,
    steps: (program) => groupedSteps(program, ops),
    isWorthCopying(key, { first: { device, instruction } }) {
      const lane = must(
        programOf(programs, key).lanes.find((own) => own.device === device),
        `lane ${device}`,
      );
      const written = lane.buffers.filter(({ name }) => instruction.outputs.includes(name));
      return written.reduce((sum, { shape }) => sum + elements(shape), 0) >= long;
    },
  });
}

/** The actions of a Program, as in program-actions, where the first of repeated computations is enough. */
export const actionsWithCopies = (
  context: CpuContext,
  program: Program,
  repeated: RepeatedSteps,
): readonly CpuAction[] =>
  groupedSteps(program, context.ops).flatMap(
    (step, position) =>
      repeated.get(position)?.map((group) => repeatedAction(context, program, group)) ??
      stepActions(context, program, step),
  );

/** Computes once, and copies the results to the other devices. */
function repeatedAction(context: CpuContext, program: Program, { first, others }: Repeated): CpuAction {
  const { run, captured } = localAction(context, program, first.device, first.instruction);
  const key = programKey(program.kind);
  const copies = others.flatMap(({ device, instruction }) =>
    instruction.outputs.map((name, k) => ({
      source: context.arrayOf(key, first.device)(at(first.instruction.outputs, k)),
      target: context.arrayOf(key, device)(name),
    })),
  );
  return {
    parts: [first, ...others],
    run() {
      run();
      for (const { source, target } of copies) target.set(source);
    },
    captured,
  };
}
