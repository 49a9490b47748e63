/**
 * One program of the hosted devices as a list of planned steps: what is written from the host, which dispatches run, in the linearizer's order.
 * Grouped for step(), ungrouped for trace(); the arithmetic is the same. Plain data; no GPU objects.
 */
import { at, must } from '../../base/invariant';
import type { OpTable } from '../../graph/op';
import type { Instruction, Program } from '../../program/instruction';
import { accessedBuffers } from '../../program/instruction-access';
import { type LinearStep, linearize, type Placed, type Transfer } from '../../program/linearize';
import type { DeviceIndex } from '../../protocol/trace';
import type { DispatchSpec } from './dispatch';
import type { Location, MemoryLayout } from './memory-layout';
import { planCompute } from './plan-compute';
import { type LoadPlan, planLoads } from './plan-loads';
import { type Move, planTransfers } from './plan-transfer';

export interface PlannedStep {
  readonly step: LinearStep;
  readonly loads: readonly LoadPlan[];
  readonly dispatches: readonly DispatchSpec[];
}

export function planProgram(program: Program, ops: OpTable, layout: MemoryLayout, options: { readonly group: boolean }): readonly PlannedStep[] {
  const locate = (device: DeviceIndex, name: string) => layout.locate(program.variant, device, name);
  const touched = new Set<string>();
  const place = (location: Location) => `${location.buffer}+${location.offset}`;
  return linearize(program, options).map((step) => {
    const planned = planStep(step, locate, (location) => !touched.has(place(location)), ops, layout);
    for (const { device, instruction } of instructionsOf(step)) {
      for (const name of accessedBuffers(instruction)) touched.add(place(locate(device, name)));
    }
    return planned;
  });
}

/** Every instruction that a step completes. */
export const instructionsOf = (step: LinearStep): readonly Placed<Instruction>[] => (step.kind === 'transfer' ? step.items.flatMap(({ send, recv }) => [send, recv]) : step.items);

function planStep(
  step: LinearStep,
  locate: (device: DeviceIndex, name: string) => Location,
  early: (location: Location) => boolean,
  ops: OpTable,
  layout: MemoryLayout,
): PlannedStep {
  switch (step.kind) {
    case 'load': {
      const { writes, moves } = planLoads(step.items, locate, early, layout);
      return { step, loads: writes, dispatches: planTransfers(moves, false, layout) };
    }
    case 'transfer':
      return { step, loads: [], dispatches: planMoves(step.items, locate, layout) };
    case 'compute': {
      const { op, inputs, attrs } = at(step.items, 0).instruction;
      const def = must(ops.get(op), `operator ${op}`);
      const items = step.items.map(({ device, instruction }) => [...instruction.inputs, ...instruction.outputs].map((name) => locate(device, name)));
      return { step, loads: [], dispatches: planCompute(def, items, inputs.length, attrs, layout) };
    }
  }
}

function planMoves(transfers: readonly Transfer[], locate: (device: DeviceIndex, name: string) => Location, layout: MemoryLayout): DispatchSpec[] {
  return [false, true].flatMap((add) => {
    const moves = transfers
      .filter(({ recv }) => (recv.instruction.apply === 'add') === add)
      .map(({ send, recv }): Move => {
        const source = locate(send.device, send.instruction.slice.buffer);
        const target = locate(recv.device, recv.instruction.slice.buffer);
        return {
          source: source.buffer,
          from: source.offset / 4 + send.instruction.slice.offset,
          target: target.buffer,
          to: target.offset / 4 + recv.instruction.slice.offset,
          length: recv.instruction.slice.length,
        };
      });
    return planTransfers(moves, add, layout);
  });
}
