/** The models of the worked examples, from the smallest to the largest. */
import type { Model } from './model';
import { RESNET_50 } from './resnet';
import { GPT_2, LLAMA_7B, LLAMA_70B } from './transformer';

export const MODELS: readonly Model[] = [RESNET_50, GPT_2, LLAMA_7B, LLAMA_70B];
