/**
 * A Program, or one instruction of a lane, as actions: a function to run, the instructions that it stands for, and the
 * values that a trace keeps. cpu-actions.ts implements each kind of instruction.
 */
import { at, must } from '../../base/invariant';
import type { OpTable } from '../../graph/op';
import { type FoldStep, foldMovements } from '../../program/fold-movements';
import type { Instruction, Lane, Program } from '../../program/instruction';
import { type LinearStep, linearize, type Transfer } from '../../program/linearize';
import type { Repeated } from '../../program/same-values';
import { programKey } from '../../protocol/step-kind';
import type { Captured, DeviceIndex } from '../../protocol/trace';
import type { RepeatedSteps } from '../replicas';
import { capture, computeAction, foldAction, loadAction, receiveAction, sliceOf } from './cpu-actions';
import type { ArrayOf, CpuContext } from './cpu-context';

/** The steps of a Program: equal computations of several devices are one step, and all-reduces are folded. */
export const groupedSteps = (program: Program, ops: OpTable): readonly (LinearStep | FoldStep)[] =>
  foldMovements(program, linearize(program, { group: true }), ops, () => 'arrays');

/** One function to run, and the instructions that it stands for (a transfer is a send and a recv). */
export interface CpuAction {
  readonly parts: readonly { readonly device: DeviceIndex; readonly instruction: Instruction }[];
  run(): void;
  captured(): Captured[];
}

const laneOf = ({ lanes }: Program, device: DeviceIndex): Lane =>
  must(
    lanes.find((l) => l.device === device),
    `lane ${device}`,
  );

/** An instruction that needs no peer. */
export function localAction(
  context: CpuContext,
  program: Program,
  device: DeviceIndex,
  instruction: Instruction,
): CpuAction {
  const { given } = context;
  const array = context.arrayOf(programKey(program.kind), device);
  const parts = [{ device, instruction }];
  const lane = laneOf(program, device);
  if (instruction.kind === 'compute') {
    const run = computeAction(instruction, lane, array, context);
    return { parts, run, captured: () => instruction.outputs.map((name) => capture(lane, name, array(name), 0)) };
  }
  if (instruction.kind === 'load') {
    const run = loadAction(instruction, device, array, () => given.feed);
    return { parts, run, captured: () => [capture(lane, instruction.buffer, array(instruction.buffer), 0)] };
  }
  return { parts, run: () => {}, captured: () => [] };
}

export interface ActionOptions {
  /** An all-reduce is one action; otherwise each of its rounds is one, and can be traced and corrupted. */
  readonly fold: boolean;
  /** By the position in groupedSteps: computations of which the first is enough. Absent: every device computes. */
  readonly repeated?: RepeatedSteps | undefined;
}

function stepsApart(program: Program, ops: OpTable, fold: boolean): readonly (LinearStep | FoldStep)[] {
  const rounds = linearize(program, { group: false });
  return fold ? foldMovements(program, rounds, ops, () => 'arrays') : rounds;
}

/** The actions of a Program whose lanes are all hosted here, in one order. */
export function programActions(
  context: CpuContext,
  program: Program,
  { fold, repeated }: ActionOptions,
): readonly CpuAction[] {
  const steps = repeated ? groupedSteps(program, context.ops) : stepsApart(program, context.ops, fold);
  const key = programKey(program.kind);
  const arrayOn = (device: DeviceIndex): ArrayOf => context.arrayOf(key, device);
  return steps.flatMap((step, position): CpuAction[] => {
    const groups = repeated?.get(position);
    if (groups) return groups.map((group) => repeatedAction(context, program, arrayOn, group));
    if (step.kind === 'fold')
      return step.items.map((item) => ({
        parts: step.ran,
        run: foldAction(item, ({ device, buffer }) => arrayOn(device)(buffer), context),
        captured: () => [],
      }));
    if (step.kind === 'transfer') return step.items.map((item) => transferAction(context, program, arrayOn, item));
    return step.items.map(({ device, instruction }) => localAction(context, program, device, instruction));
  });
}

/** Computes once, and copies the results to the other devices. */
function repeatedAction(
  context: CpuContext,
  program: Program,
  arrayOn: (device: DeviceIndex) => ArrayOf,
  { first, others }: Repeated,
): CpuAction {
  const { run, captured } = localAction(context, program, first.device, first.instruction);
  const copies = others.flatMap(({ device, instruction }) =>
    instruction.outputs.map((name, k) => ({
      source: arrayOn(first.device)(at(first.instruction.outputs, k)),
      target: arrayOn(device)(name),
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

function transferAction(
  context: CpuContext,
  program: Program,
  arrayOn: (device: DeviceIndex) => ArrayOf,
  { send, recv }: Transfer,
): CpuAction {
  const source = sliceOf(send.instruction, arrayOn(send.device));
  const target = sliceOf(recv.instruction, arrayOn(recv.device));
  const { slice } = recv.instruction;
  const lane = laneOf(program, recv.device);
  return {
    parts: [send, recv],
    run: receiveAction(target, source, recv.instruction, context.given, context),
    captured: () => [capture(lane, slice.buffer, target, slice.offset)],
  };
}
