/** How many ranks can share the layers of a model. Called by face.ts, face-fit.ts and auto-plan.ts. */
import type { Config, LayerConfig } from '../../protocol/config';
import { replicasOf } from '../../protocol/mesh-sizes';

/** The most ranks: for each replica, the columns of the widest layer inside the net. */
export const mostTensorRanks = (config: Config): number => replicasOf({ ...config, mode: 'tensor' }) * widest(config);

/** torch.chunk gives all ranks but the last ones equally many columns, so the last ranks may get none. */
export const everyRankHasPart = (length: number, ranks: number): boolean =>
  Math.ceil(length / ranks) * (ranks - 1) < length;

/** The most columns or heads of any layer. */
export const widest = (config: Config): number => Math.max(1, ...config.model.layers.slice(0, -1).map(columnsOf));

function columnsOf(layer: LayerConfig): number {
  switch (layer.type) {
    case 'Linear':
    case 'Conv2d':
      return layer.out;
    case 'MultiheadAttention':
    case 'TransformerBlock':
      return layer.heads;
    default:
      return 1;
  }
}
