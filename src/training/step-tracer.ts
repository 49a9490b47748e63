/** Makes the trace of a micro-batch, or of DDP's constructor, from the world's measurements. */
import { at } from '../base/invariant';
import type { StepBatch } from '../data/batch-source';
import type { Program } from '../program/instruction';
import { programOf } from '../program/program-of';
import { stepOf } from '../protocol/micro-batches';
import type { ProgramKey } from '../protocol/step-kind';
import { CAPTURE_LIMIT, type Captured, type LossRecord, type StepTrace } from '../protocol/trace';
import type { InstructionRecord } from '../runtime/executor';
import { machineOf } from '../simulator/machine';
import type { Blueprint } from './blueprint';
import { stepTrace } from './step-trace';
import type { BufferValue, WorldState } from './world-state';

/** The data of a traced step: the values before it, and the measurements. */
export interface Traced {
  readonly before: StepTrace['initial'];
  readonly records: readonly InstructionRecord[];
}

export interface StepTracer {
  /** Parameters, gradients and buffers (running statistics) as they are now, for `Traced.before`. */
  values(): Promise<StepTrace['initial']>;
  ofBatch(batch: StepBatch, program: ProgramKey, losses: LossRecord, traced: Traced): StepTrace;
  /** The constructor's trace: before the first step, without rows and loss. */
  ofConstructor(program: Program, traced: Traced): StepTrace;
}

export function createStepTracer(blueprint: Blueprint, state: WorldState): StepTracer {
  const { config, mesh, programs, rankOfDevice } = blueprint;
  const always = () => ({
    hardware: machineOf(config),
    stragglers: config.stragglers,
    accumulate: config.accumulate,
  });
  return {
    async values() {
      const values = await state.read(['parameter', 'gradient', 'buffer']);
      return rankOfDevice.map((_, device) => ({
        device,
        captured: values.filter((v) => v.device === device).map(capture),
      }));
    },
    ofBatch(batch, program, losses, { before, records }) {
      const slices = blueprint.facets.place.rowsOfDevice(
        config,
        batch.rows.map((own) => own.length),
      );
      return stepTrace({
        ...always(),
        program: programOf(programs, program),
        records,
        microBatch: batch.microBatch,
        step: stepOf(batch.microBatch, config),
        epoch: batch.epoch,
        samples: slices.map(([start, count], d) => [
          ...at(batch.rows, mesh.dataIndex(at(rankOfDevice, d))).subarray(start, start + count),
        ]),
        losses,
        initial: before,
      });
    },
    ofConstructor(program, { before, records }) {
      const first = { microBatch: (blueprint.resume?.checkpoint.microBatch ?? 0) - 1, step: 0, epoch: 0 };
      return stepTrace({
        ...always(),
        ...first,
        program,
        records,
        samples: rankOfDevice.map(() => []),
        losses: { ...first, perRank: [], loss: Number.NaN },
        initial: before,
      });
    },
  };
}

const capture = ({ buffer, data }: BufferValue): Captured => ({
  buffer,
  offset: 0,
  values: Float32Array.from(data.subarray(0, CAPTURE_LIMIT)),
});
