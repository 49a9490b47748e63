/** Embeddings and their gradients with vectors, on one thread: rows are added in the order of their positions. */
import { at } from '../../base/invariant';
import type { Shape } from '../../tensor/shape';
import { chainsOf, embedding, partOf, tableOf } from '../ops/embedding/embedding';
import { cpuPositions } from '../ops/shape/index-select';
import type { VectorOp } from './vector-op';
import { addressOf } from './vectors';

export const EMBEDDING_VECTORS: readonly (readonly [string, VectorOp])[] = [
  [
    'embedding/embedding',
    (args, { kernels }) => {
      const { inputs, outputs, inputTypes, attrs } = args;
      const { n, inner } = tableOf(at(inputTypes, 1).shape);
      const part = partOf(attrs);
      const [ids, table, y] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)];
      const places = [addressOf(table), n, inner, addressOf(ids), ids.length, addressOf(y)];
      return () => {
        const picked = kernels.pickRows(...places, part?.first ?? 0, part ? 1 : 0);
        // The plain kernel says which id is out of range.
        if (picked < ids.length) embedding.cpu(args);
      };
    },
  ],
  [
    'embedding/embedding-grad',
    ({ inputs, outputs, attrs }, { kernels }) => {
      const [dy, ids] = [at(inputs, 0), at(inputs, 1)];
      const [dx, head, next] = [at(outputs, 0), at(outputs, 1), at(outputs, 2)];
      const { n, inner } = tableOf(attrs.shape as Shape);
      const chains = chainsOf(attrs);
      const places = [addressOf(dy), addressOf(ids), ids.length, addressOf(dx), n, inner, chains.skip, chains.first];
      return () => {
        cpuPositions(ids, [head, next], chains, n);
        dx.fill(0);
        kernels.addRows(...places);
      };
    },
  ],
];
