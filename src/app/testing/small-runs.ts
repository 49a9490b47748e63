/** Small runs for tests: a convolutional net and a GPT whose steps are fast on the CPU. */
import type { ConfigInput } from '../../protocol/config';
import { cnnOf, gptOf } from '../model/families';

export const SMALL_CNN: ConfigInput = {
  batchSize: 8,
  model: { layers: cnnOf([4, 4], 6, { shape: [1, 8, 8] }) },
  data: { type: 'shapes', size: 8, samples: 24 },
  loss: { type: 'CrossEntropyLoss' },
};

export const SMALL_GPT: ConfigInput = {
  batchSize: 4,
  model: { layers: gptOf({ layers: 2, heads: 2, width: 8 }, 4, 4) },
  data: { type: 'text', text: 'abcdabcdaabbccddabcdabcd', context: 4 },
  loss: { type: 'CrossEntropyLoss' },
};
