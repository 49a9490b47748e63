/**
 * Which of the runs recorded from real PyTorch the quick tier can do without, and why. Small nets cost next to nothing
 * and have every mode. The large ones (MLP of 784 inputs, CNN, GPT) have the operators that small ones lack: one run of
 * each is enough to see that an operator is wrong. Asked by the parity tests of both devices.
 */
import type { Place } from '../../../scripts/tier';
import { elements } from '../../tensor/shape';
import type { ParityCase } from './parity-cases';

const SMALL = 1000;
export const isSmall = ({ finalParameters }: ParityCase): boolean =>
  [...finalParameters.values()].reduce((sum, { shape }) => sum + elements(shape), 0) <= SMALL;

/** Of the large nets: BatchNorm on one device, attention under DDP. The MLP has the operators of the small nets. */
const LARGE_IN_QUICK = /^(cnn_bn single|gpt DDP world_size2_\S+)$/;

export const parityPlace = (parity: ParityCase): Place => ({
  modes: [parity.config.mode ?? 'single'],
  rest:
    isSmall(parity) || LARGE_IN_QUICK.test(parity.name)
      ? undefined
      : 'the small nets train in this mode, and another mode trains this net',
});

/** Of the pipelines: one large net with tied weights; else those whose messages take other ways. */
const PIPELINE_IN_QUICK =
  /^(tanh_mlp|deep_tanh .*, 2 ranks|deep_tanh 1F1B, 4 ranks|deep_tanh .*, pp 2|gpt 1F1B, 2 ranks)/;

export const pipelinePlace = ({ name }: ParityCase): Place => ({
  modes: ['pipeline'],
  ...(PIPELINE_IN_QUICK.test(name)
    ? {}
    : { rest: 'the schedule is trained with fewer ranks or with a smaller net, by the same actions' }),
});
