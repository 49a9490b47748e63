/**
 * What crosses the borders of a pipeline: the activations of every micro-batch, and as much for their gradients; with
 * replicas, the all-reduce of each stage's gradients once per step. Called through compiler.ts.
 */
import { at } from '../../base/invariant';
import type { ClosedForm } from '../../protocol/closed-form';
import { meshSizes } from '../../protocol/mesh-sizes';
import { closedForm, type Pass, type RunSizes } from '../closed-form';
import { devicesOfStage, scheduleOf } from './stages';

export function pipelineForm({ config, devices, transfers }: RunSizes, { rows }: Pass): ClosedForm {
  const schedule = scheduleOf(config);
  const { dp } = meshSizes(config);
  const perDevice: number[] = Array.from({ length: devices }, () => 0);
  const crossing: string[] = [];
  transfers.borderRowBytes.forEach((rowBytes, stage) => {
    const here = devicesOfStage(config, schedule, stage);
    const next = devicesOfStage(config, schedule, stage + 1);
    if (here[0] === next[0]) return;
    for (let replica = 0; replica < dp; replica++) {
      for (const device of [at(here, replica), at(next, replica)])
        perDevice[device] = (perDevice[device] ?? 0) + rowBytes * at(rows, device);
    }
    crossing.push(`${rowBytes * at(rows, at(here, 0))} B`);
  });
  if (crossing.length === 0) return closedForm(perDevice, '0: one rank has all stages');
  return closedForm(
    perDevice,
    `each border between ranks, each micro-batch: activations forward, as many gradients back; ${crossing.join(', ')} each way`,
  );
}
