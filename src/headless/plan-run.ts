/** The memory that a run would allocate, computed without a device, for `lockstep memory` and benchmarks. */

import { parseConfig } from '../config/parse-config';
import { prepareFiles } from '../data/prepare-files';
import type { Files } from '../protocol/session';
import type { DeviceMemory } from '../protocol/trace';
import { planOf } from '../training/blueprint/plan';
import { memoryOf } from '../training/device-memory';
import { loadParts } from '../training/load-parts';

export async function planRun(input: unknown, files: Files): Promise<readonly DeviceMemory[]> {
  const config = parseConfig(input);
  await loadParts(config);
  return memoryOf(planOf(config, await prepareFiles(config.data, files), { end: 'atSteps' }));
}
