/**
 * nccl on a GPUDevice: the tensors of every rank are written to the device, the collective runs there as one submit,
 * and the results are read back. For ClusterOptions.nccl.
 */
import { must } from '../../base/invariant';
import { openExecutors } from '../../runtime/launch/open-executors';
import type { OpenedDevice } from '../../runtime/webgpu/device';
import type { OpenExecutor } from './nccl';

/** The caller keeps ownership of the device. */
export function ncclOnGpu(opened: OpenedDevice): OpenExecutor {
  return async (program, devices) => {
    const plan = { kind: 'webgpu', programs: [program], devices } as const;
    const [hosted] = await openExecutors(plan, { gpu: undefined, opened });
    return must(hosted, 'an executor').executor;
  };
}
