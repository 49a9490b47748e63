/**
 * nccl on a GPUDevice: every rank's tensors are written to it, the collective runs there as one submit, and its results
 * are read back. For ClusterOptions.nccl.
 */
import { must } from '../../base/invariant';
import { openExecutors } from '../../runtime/launch/open-executors';
import type { OpenedDevice } from '../../runtime/webgpu/device';
import type { OpenExecutor } from './nccl';

/** The device stays the caller's. */
export function ncclOnGpu(opened: OpenedDevice): OpenExecutor {
  return async (program, devices) => {
    const plan = { kind: 'webgpu', programs: [program], devices } as const;
    const [hosted] = await openExecutors(plan, { gpu: undefined, opened });
    return must(hosted, 'an executor').executor;
  };
}
