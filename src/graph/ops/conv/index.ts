/** Convolutions and pooling. */
import type { OpDef } from '../../op';
import { adaptiveAvgPool2d, avgPool2d } from './avg-pool2d';
import { adaptiveAvgPool2dGrad, avgPool2dGrad } from './avg-pool2d-grad';
import { conv2d } from './conv2d';
import { conv2dGradInput } from './conv2d-grad-input';
import { conv2dGradParams } from './conv2d-grad-params';
import { maxPool2d } from './max-pool2d';
import { maxPool2dGrad } from './max-pool2d-grad';

export const CONV_OPS: readonly OpDef[] = [
  conv2d,
  conv2dGradInput,
  conv2dGradParams,
  maxPool2d,
  maxPool2dGrad,
  avgPool2d,
  avgPool2dGrad,
  adaptiveAvgPool2d,
  adaptiveAvgPool2dGrad,
];
