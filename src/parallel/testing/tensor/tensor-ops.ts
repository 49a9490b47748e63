/**
 * Operators that only the modes of this folder put into Programs. What verifies and runs a Program looks operators up
 * in one table, so a test file that needs these adds them for its own time. Called at the top of such a file.
 */
import { afterAll, beforeAll } from 'vitest';
import { invariant } from '../../../base/invariant';
import { CodeTable } from '../../../base/part';
import { PARALLEL_LOSS_OPS } from '../../../graph/ops/loss/parallel-cross-entropy';
import { PARTITION_OPS } from '../../../graph/ops/partition';
import { PROGRAM_OPS } from '../../modes';

const TENSOR_OPS = [...PARTITION_OPS, ...PARALLEL_LOSS_OPS];

export function withTensorOps(): void {
  beforeAll(() => {
    invariant(PROGRAM_OPS instanceof CodeTable, 'operators that can be added to');
    PROGRAM_OPS.extend(TENSOR_OPS);
  });
  afterAll(() => {
    if (PROGRAM_OPS instanceof CodeTable) for (const { name } of TENSOR_OPS) PROGRAM_OPS.delete(name);
  });
}
