/** Matrix products of linear layers and their gradients. */
import type { OpDef } from '../../op';
import { linear } from './linear';
import { linearGradInput } from './linear-grad-input';
import { linearGradParams } from './linear-grad-params';

export const LINEAR_OPS: readonly OpDef[] = [linear, linearGradInput, linearGradParams];
