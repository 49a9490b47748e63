/** The tree as a table: arrows move and open, as in every tree (use-memory-tree.ts). Loaded when it is opened. */

import { useMemo } from 'react';
import type { DeviceMemory } from '../../protocol/trace';
import { formatSize } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import { useApp } from '../state/use-app';
import { BesideFloat32 } from './beside-float32';
import styles from './memory.module.css';
import { hostTree, type MemoryRow, memoryTree } from './memory-tree';
import { useMemoryTree } from './use-memory-tree';

interface MemoryTableProps {
  readonly memory: readonly DeviceMemory[];
  /** Opened and focused first. */
  readonly device: number;
}

const share = (part: number, whole: number): string => (whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`);

export function MemoryTable({ memory, device }: MemoryTableProps) {
  const roles = useApp((app) => app.info?.roles);
  const roots = useMemo(() => {
    const title = ({ device: d }: DeviceMemory) => roles?.[d]?.title ?? `cuda:${d}`;
    return [...memory.map((own) => memoryTree(own, title(own))), ...memory.flatMap((own) => hostTree(own, title(own)))];
  }, [memory, roles]);
  const { table, rows, open, here, toggle, setActive, onKeyDown } = useMemoryTree(roots, device);
  const whole = (row: MemoryRow) =>
    roots.find(({ id }) => row.node.id === id || row.node.id.startsWith(`${id}/`))?.bytes ?? 0;
  return (
    <div className={styles['scroll']}>
      <BesideFloat32 device={device} />
      <table
        ref={table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: ARIA makes treegrids of tables
        role="treegrid"
        aria-label="Memory by device, category, module and tensor"
        className={styles['tree']}
      >
        <ColumnHeads names={['Tensors', 'Size', 'Part']} />
        <tbody>
          {rows.map((row, index) => {
            const { node, level } = row;
            const expandable = node.children.length > 0;
            return (
              <tr
                key={node.id}
                data-id={node.id}
                data-bytes={node.bytes}
                aria-level={level}
                {...(expandable ? { 'aria-expanded': open.has(node.id) } : {})}
                tabIndex={node.id === here ? 0 : -1}
                onFocus={() => setActive(node.id)}
                onKeyDown={(event) => onKeyDown(event, row, index)}
                onClick={() => expandable && toggle(node.id, !open.has(node.id))}
              >
                <td
                  style={{ paddingLeft: 12 * (level - 1) + 14 }}
                  title={
                    node.tensors.length > 1
                      ? `These tensors use the same memory, one after the other: ${node.tensors.join(', ')}`
                      : node.name
                  }
                >
                  {node.name}
                  {node.tensors.length > 1 && <i> and {node.tensors.length - 1} more</i>}
                </td>
                <td title={`${node.bytes} bytes`}>{formatSize(node.bytes)}</td>
                <td>{share(node.bytes, whole(row))}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
