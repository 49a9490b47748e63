/**
 * A device's memory by kind, beside the memory that the same run would reserve in float32; only for runs in half
 * precision.
 */
import { MEMORY_CATEGORIES } from '../../protocol/trace';
import { formatSize } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import { useApp } from '../state/use-app';
import styles from './memory.module.css';
import { CATEGORY_WORDS } from './memory-tree';

export function BesideFloat32({ device }: { readonly device: number }) {
  const info = useApp((app) => app.info);
  const own = info?.memory.find((memory) => memory.device === device);
  const full = info?.memoryInFloat32?.find((memory) => memory.device === device);
  if (!own || !full) return null;
  const kinds = MEMORY_CATEGORIES.filter((kind) => own.byCategory[kind] + full.byCategory[kind] > 0);
  const rows = [
    ...kinds.map((kind) => [CATEGORY_WORDS[kind], own.byCategory[kind], full.byCategory[kind]] as const),
    ['together', own.peakBytes, full.peakBytes] as const,
  ];
  return (
    <table className={styles['tree']} aria-label="Memory by kind, beside float32">
      <ColumnHeads names={[`cuda:${device}`, 'this run', 'in float32', 'saved']} />
      <tbody>
        {rows.map(([words, bytes, without]) => (
          <tr key={words}>
            <td>{words}</td>
            <td title={`${bytes} bytes`}>{formatSize(bytes)}</td>
            <td title={`${without} bytes`}>{formatSize(without)}</td>
            <td>{savedWords(bytes, without)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** '42 %'; if the run needs more than in float32: '100 % more'. */
function savedWords(bytes: number, without: number): string {
  const percent = Math.round(100 * Math.abs(1 - bytes / without));
  return bytes === without ? '' : `${percent} %${bytes > without ? ' more' : ''}`;
}
