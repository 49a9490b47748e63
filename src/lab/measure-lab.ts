/**
 * Measures the lab's collective on this machine: the median of real runs of its Program, with one CPU executor per
 * rank, joined by MessagePorts like ranks in workers, but all in this thread. Measured times are never mixed with
 * modelled ones.
 */

import { at } from '../base/invariant';
import type { LabMeasurement, LabRequest } from '../protocol/lab';
import { ALONE, programKey } from '../protocol/step-kind';
import { nowUs } from '../runtime/clock';
import { openExecutors } from '../runtime/launch/open-executors';
import { createPortMesh } from '../runtime/transport/rank-links';
import { labInputs } from './lab-inputs';
import { checkRequest, INPUT, labProgram } from './lab-program';

const LEAST_RUNS = 9;
const MOST_RUNS = 101;
const LONG_ENOUGH_US = 400_000;

const NO_FEED = () => new Float32Array(0);

export async function measureLab(request: LabRequest): Promise<LabMeasurement> {
  checkRequest(request);
  const { program } = labProgram(request);
  const devices = program.lanes.map(({ device }) => device);
  const ports = new Map(createPortMesh(devices.length).map((own, device) => [device, own]));
  const hosted = await openExecutors({ kind: 'cpu', programs: [program], devices, ports }, { gpu: undefined });
  try {
    const inputs = labInputs(request);
    const taken: number[] = [];
    const began = nowUs();
    while (taken.length < LEAST_RUNS || (taken.length < MOST_RUNS && nowUs() - began < LONG_ENOUGH_US)) {
      // Every run starts from the same values, because repeated sums would overflow float32.
      for (const [rank, { executor }] of hosted.entries()) executor.write(at(devices, rank), INPUT, at(inputs, rank));
      const start = nowUs();
      await Promise.all(hosted.map(async ({ executor }) => executor.step(programKey(ALONE), NO_FEED)));
      taken.push(nowUs() - start);
    }
    taken.sort((a, b) => a - b);
    return { medianUs: at(taken, Math.floor(taken.length / 2)), runs: taken.length };
  } finally {
    for (const { executor, close } of hosted) {
      executor.dispose();
      close();
    }
  }
}
