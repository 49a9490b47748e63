/** Matrix products: linear layers, their gradients, matmul. */
import type { OpDef } from '../../op';
import { linear } from './linear';
import { linearGradInput } from './linear-grad-input';
import { linearGradParams } from './linear-grad-params';
import { matmul } from './matmul';

export const LINEAR_OPS: readonly OpDef[] = [linear, linearGradInput, linearGradParams, matmul];
