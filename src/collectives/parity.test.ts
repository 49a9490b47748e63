/**
 * Everything that gloo computed (fixtures/collectives.json), by every algorithm that knows it, on the CPU executor: in
 * one memory space and over ports.
 */
import { expect, test } from 'vitest';
import { must } from '../base/invariant';
import { verify } from '../program/verifier';
import { createCpuExecutor } from '../runtime/cpu/cpu-executor';
import { createPortTransport } from '../runtime/transport/port-transport';
import { createPortMesh } from '../runtime/transport/rank-links';
import { COMM_OPS } from './bucket-ops';
import { CASES, parityFailures, parityVariants } from './testing/collective-parity';

test.each(CASES)("gloo's results, $world_size ranks", async (stored) => {
  const variants = parityVariants(stored);
  const programs = variants.map(({ program }) => program);
  for (const program of programs) verify(program, COMM_OPS);
  const devices = stored.inputs.map((_, device) => device);
  const shared = createCpuExecutor({ programs, devices, ops: COMM_OPS });
  expect(await parityFailures(variants, [shared])).toEqual([]);

  const transports = createPortMesh(devices.length).map((ports, device) => createPortTransport(device, ports));
  const executors = devices.map((device) =>
    createCpuExecutor({ programs, devices: [device], ops: COMM_OPS, transport: must(transports[device], 'transport') }),
  );
  expect(await parityFailures(variants, executors)).toEqual([]);
  for (const transport of transports) transport.close('done');
});
