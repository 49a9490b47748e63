/** A notice if DataParallel's torch.chunk leaves devices idle. Called by compiler.ts. */
import { chunkSizes } from '../../data/chunk-sizes';
import type { Notice } from '../../protocol/notice';
import type { NoticeInput } from '../facets/mode-checks';

export function chunkNotices({ config, rows: [rows = 0] }: Pick<NoticeInput, 'config' | 'rows'>): readonly Notice[] {
  const { batchSize, worldSize } = config;
  const chunks = chunkSizes(Math.min(batchSize, rows), worldSize).length;
  if (chunks >= worldSize) return [];
  return [
    {
      level: 'info',
      id: 'fewer-chunks',
      text: `torch.chunk cuts ${rows} samples into ${chunks} chunks for ${worldSize} devices: ${worldSize - chunks} ${worldSize - chunks === 1 ? 'device stays' : 'devices stay'} idle.`,
      hint: 'DataParallel uses as many replicas as there are chunks.',
    },
  ];
}
