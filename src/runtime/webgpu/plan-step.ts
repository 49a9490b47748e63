/**
 * Programs of the hosted devices as plain numbers: the writes from the host, and the dispatches in order. `planProgram`
 * groups devices and merges moves, for step(); `planInstructions` keeps instructions separate, for trace(). The
 * arithmetic is the same.
 */
import { at, must } from '../../base/invariant';
import type { OpTable } from '../../graph/op';
import { type Fold, type FoldStep, foldMovements, instructionsOf, type MemoryOf } from '../../program/fold-movements';
import type { Compute, Instruction, Program } from '../../program/instruction';
import { accessedBuffers, readBuffers, writtenBuffers } from '../../program/instruction-access';
import { type LinearStep, linearize, type Transfer } from '../../program/linearize';
import type { Placed } from '../../program/ready-heads';
import type { Repeated } from '../../program/same-values';
import type { BufferPlace } from '../../program/symbolic-memory';
import { programKey } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import { type CopiesAfter, copyResults, foldOnce } from './copies';
import type { DispatchSpec } from './dispatch';
import { type Access, DispatchSchedule } from './dispatch-order';
import { wordAt, wordsOf, wordsOfTensor } from './gpu-words';
import { type JoinCode, joinCode, PUT } from './join-code';
import type { Location, MemoryLayout } from './memory-layout';
import { planCompute } from './plan-compute';
import { planFolds } from './plan-folds';
import { type LoadPlan, type PlannedLoads, planLoads } from './plan-loads';
import { planTransfers, type TransferMove } from './plan-transfer';

export interface ProgramPlan {
  readonly loads: readonly LoadPlan[];
  readonly dispatches: readonly DispatchSpec[];
  readonly copies: readonly CopiesAfter[];
  /** By tag, the number of dispatches after which the transfer has arrived. */
  readonly arrived: ReadonlyMap<string, number>;
}

/** One instruction, or both of a transfer. */
export interface InstructionPlan {
  readonly ran: readonly Placed<Instruction>[];
  readonly loads: readonly LoadPlan[];
  readonly dispatches: readonly DispatchSpec[];
}

export interface PlanOptions {
  /** Whether an all-reduce within one GPUBuffer is one dispatch; its rounds are then missing in `arrived`. */
  readonly fold?: boolean;
  /**
   * copyBufferToBuffer is much faster than a kernel that writes (software adapters): results that several devices need
   * are computed once and copied, and kernels are chosen that avoid what software adapters are slow at.
   */
  readonly copies?: boolean;
  /** With `copies`, by the position of a step: computations of which the first is enough. */
  readonly repeated?: ReadonlyMap<number, readonly Repeated[]> | undefined;
  /**
   * Called with every step that computes or folds and its dispatches, so that the caller knows the step of a dispatch.
   */
  readonly onPlanned?: (step: LinearStep | FoldStep, dispatches: readonly DispatchSpec[]) => void;
}

export function planProgram(
  program: Program,
  ops: OpTable,
  layout: MemoryLayout,
  { fold = true, copies = false, repeated, onPlanned }: PlanOptions = {},
): ProgramPlan {
  const planner = new StepPlanner(program, ops, layout);
  const schedule = new DispatchSchedule();
  const loads: LoadPlan[] = [];
  stepsOf(program, ops, layout, fold).forEach((step, position) => {
    if (step.kind === 'fold') {
      const once = copies ? foldOnce(step.items, planner.locate, layout) : { folds: step.items };
      const dispatches = planFolds(once.folds, planner.locate, layout, { vectorsApart: copies });
      onPlanned?.(step, dispatches);
      schedule.compute(dispatches, planner.accessesOfFolds(step.items), once.copies);
    } else if (step.kind === 'transfer') {
      for (const transfer of step.items) {
        schedule.move(planner.move(transfer), planner.join(transfer), transfer.recv.instruction.tag);
      }
    } else if (step.kind === 'load') {
      const { writes, moves } = planner.loads(step);
      loads.push(...writes);
      for (const move of moves) schedule.move(move, PUT);
    } else {
      const once = repeated?.get(position);
      const dispatches = planner.compute(once ? once.map(({ first }) => first) : step.items);
      onPlanned?.(step, dispatches);
      const copied = once ? copyResults(once, planner.locate, layout) : [];
      schedule.compute(dispatches, planner.accesses(step.items), copied);
    }
    planner.touch(step);
  });
  return { loads, ...schedule.finish(layout) };
}

/** The steps that planProgram plans. */
export function stepsOf(
  program: Program,
  ops: OpTable,
  layout: MemoryLayout,
  fold = true,
): readonly (LinearStep | FoldStep)[] {
  const rounds = linearize(program, { group: true });
  const memoryOf: MemoryOf = ({ device, buffer }) => layout.locate(programKey(program.kind), device, buffer).buffer;
  return fold ? foldMovements(program, rounds, ops, memoryOf) : rounds;
}

export function planInstructions(program: Program, ops: OpTable, layout: MemoryLayout): readonly InstructionPlan[] {
  const planner = new StepPlanner(program, ops, layout);
  return linearize(program, { group: false }).map((step) => {
    const plan = planOne(step, planner, layout);
    planner.touch(step);
    return plan;
  });
}

function planOne(step: LinearStep, planner: StepPlanner, layout: MemoryLayout): InstructionPlan {
  const ran = instructionsOf(step);
  if (step.kind === 'compute') return { ran, loads: [], dispatches: planner.compute(step.items) };
  if (step.kind === 'load') {
    const { writes, moves } = planner.loads(step);
    return { ran, loads: writes, dispatches: planTransfers(moves, PUT, layout) };
  }
  const dispatches = step.items.flatMap((transfer) =>
    planTransfers([planner.move(transfer)], planner.join(transfer), layout),
  );
  return { ran, loads: [], dispatches };
}

class StepPlanner {
  /** Places that earlier instructions have used. */
  private readonly touched = new Set<string>();

  constructor(
    private readonly program: Program,
    private readonly ops: OpTable,
    private readonly layout: MemoryLayout,
  ) {}

  compute(items: readonly Placed<Compute>[]): readonly DispatchSpec[] {
    const { op, inputs, attrs } = at(items, 0).instruction;
    const operands = items.map(({ device, instruction }) =>
      [...instruction.inputs, ...instruction.outputs].map((name) => this.locate(device, name)),
    );
    return planCompute(must(this.ops.get(op), `operator ${op}`), operands, inputs.length, attrs, this.layout);
  }

  accesses(items: readonly Placed<Compute>[]): readonly Access[] {
    return items.flatMap(({ device, instruction }) => {
      const access = (name: string, write: boolean): Access => {
        const location = this.locate(device, name);
        const from = wordAt(location);
        return { buffer: location.buffer, from, to: from + wordsOfTensor(location.spec), write };
      };
      const reads = readBuffers(instruction).map((name) => access(name, false));
      return [...reads, ...writtenBuffers(instruction).map((name) => access(name, true))];
    });
  }

  loads(step: Extract<LinearStep, { kind: 'load' }>): PlannedLoads {
    const early = (location: Location) => !this.touched.has(placeOf(location));
    return planLoads(step.items, (device, name) => this.locate(device, name), early, this.layout);
  }

  move({ send, recv }: Transfer): TransferMove {
    const source = this.locate(send.device, send.instruction.slice.buffer);
    const target = this.locate(recv.device, recv.instruction.slice.buffer);
    return {
      source: source.buffer,
      from: wordAt(source, send.instruction.slice.offset),
      target: target.buffer,
      to: wordAt(target, recv.instruction.slice.offset),
      length: wordsOf(target.spec.dtype, recv.instruction.slice.length),
    };
  }

  join({ recv: { device, instruction } }: Transfer): JoinCode {
    return joinCode(instruction.apply, this.locate(device, instruction.slice.buffer).spec.dtype);
  }

  touch(step: LinearStep | FoldStep): void {
    for (const { device, instruction } of instructionsOf(step)) {
      for (const name of accessedBuffers(instruction)) this.touched.add(placeOf(this.locate(device, name)));
    }
  }

  accessesOfFolds(folds: readonly Fold[]): readonly Access[] {
    return folds.flatMap(({ length, terms, targets }) => {
      const access =
        (write: boolean) =>
        (place: BufferPlace): Access => {
          const location = this.locate(place.device, place.buffer);
          const from = wordAt(location, place.offset);
          return { buffer: location.buffer, from, to: from + wordsOf(location.spec.dtype, length), write };
        };
      return [...terms.map(access(false)), ...targets.map(access(true))];
    });
  }

  readonly locate = (device: DeviceIndex, name: string): Location =>
    this.layout.locate(programKey(this.program.kind), device, name);
}

const placeOf = ({ buffer, offset }: Location): string => `${buffer}+${offset}`;
