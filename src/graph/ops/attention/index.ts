/** Scaled dot-product attention without the score matrix. */
import type { OpDef } from '../../op';
import { selfAttention, selfAttentionGrad } from './self-attention';

export const ATTENTION_OPS: readonly OpDef[] = [selfAttention, selfAttentionGrad];
