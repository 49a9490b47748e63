/**
 * Programs that hold parameters and gradients and nothing but an optimiser step, and their run on an executor with
 * given gradients. For tests.
 */

import { at } from '../../base/invariant';
import { initDeviceMesh } from '../../mesh/device-mesh';
import type { OptimizerSettings } from '../../optim/param-groups';
import { makeStepScalars } from '../../optim/scalars';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import { ALONE, programKey } from '../../protocol/step-kind';
import type { Executor } from '../../runtime/executor';
import { elements, type Shape } from '../../tensor/shape';
import { GRAD_NORM } from '../emit-norm';
import { emitOptimizer, emitOptimizerOver, type OptimizerInput } from '../emit-optimizer';
import { PROGRAM_OPS } from '../modes';

export interface OptimizerRun {
  readonly config: OptimizerSettings & OptimizerInput['config'];
  readonly shapes: Readonly<Record<string, Shape>>;
  /** Devices that hold the parameters: all of them on each (a replica each), or one after the other. */
  readonly placement: 'single' | { readonly replicas: number } | { readonly split: number };
}

export function optimizerProgram({ config, shapes, placement }: OptimizerRun): Program {
  const replicas = placement !== 'single' && 'replicas' in placement;
  const devices = placement === 'single' ? 1 : replicas ? placement.replicas : placement.split;
  const builder = new ProgramBuilder(initDeviceMesh({}, { devicesPerRank: devices }), PROGRAM_OPS);
  const names = Object.keys(shapes);
  const parts = builder.lanes.map((lane) => {
    const own = replicas ? names : names.filter((_, i) => i % devices === lane.device);
    const parameters = own.map((name) => {
      const base = { shape: at([shapes[name] ?? []], 0), dtype: 'f32' as const, persistent: true };
      lane.buffer({ ...base, name, category: 'parameter', pool: 'parameters' });
      lane.buffer({ ...base, name: `${name}.grad`, category: 'gradient', pool: 'gradients' });
      return { name, gradient: `${name}.grad` };
    });
    return { lane, parameters };
  });
  if (replicas) for (const { lane, parameters } of parts) emitOptimizer(lane, { config }, parameters);
  else emitOptimizerOver(builder, { config }, parts);
  return builder.finish('single');
}

export interface AfterStep {
  /** By device and name: '0 a'. */
  readonly values: ReadonlyMap<string, Float32Array>;
  readonly norms: readonly number[];
}

/** Writes start and gradients, steps, and reads every persistent buffer that matters after each step. */
export async function runOptimizer(
  executor: Executor,
  program: Program,
  run: OptimizerRun,
  start: Readonly<Record<string, Float32Array>>,
  steps: readonly Readonly<Record<string, Float32Array>>[],
): Promise<readonly AfterStep[]> {
  const refs = program.lanes.flatMap(({ device, buffers }) =>
    buffers
      .filter(({ persistent, name }) => persistent && !name.startsWith('scalars'))
      .map(({ name, shape, fill }) => ({ device, buffer: name, shape, fill })),
  );
  for (const { device, buffer, shape, fill } of refs)
    executor.write(device, buffer, start[buffer] ?? new Float32Array(elements(shape)).fill(fill ?? 0));
  const scalarsAt = makeStepScalars(run.config);
  const after: AfterStep[] = [];
  for (const [k, gradients] of steps.entries()) {
    for (const { device, buffer } of refs) {
      const gradient = gradients[buffer.replace(/\.grad$/, '')];
      if (buffer.endsWith('.grad') && gradient) executor.write(device, buffer, gradient);
    }
    const scalars = scalarsAt(k + 1, 0);
    await executor.step(programKey(ALONE), (load) => scalars.subarray(load.start, load.start + load.count));
    const read = await executor.read(refs);
    const values = new Map(refs.map(({ device, buffer }, i) => [`${device} ${buffer}`, at(read, i)]));
    const norms = refs.flatMap(({ buffer }, i) => (buffer === GRAD_NORM ? [at(at(read, i), 0)] : []));
    after.push({ values, norms });
  }
  return after;
}
