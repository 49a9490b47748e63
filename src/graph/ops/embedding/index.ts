/** Rows of a table by index, and their gradient. */
import type { OpDef } from '../../op';
import { embedding, embeddingGrad } from './embedding';

export const EMBEDDING_OPS: readonly OpDef[] = [embedding, embeddingGrad];
