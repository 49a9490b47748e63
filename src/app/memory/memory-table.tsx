/** The tree as a table: arrows move and open, as in every tree. Loaded when it is opened. */

import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { lookup } from '../../base/lookup';
import type { DeviceMemory } from '../../protocol/trace';
import { formatSize } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import { useApp } from '../state/use-app';
import styles from './memory.module.css';
import { type MemoryRow, memoryTree, visibleRows } from './memory-tree';

interface MemoryTableProps {
  readonly memory: readonly DeviceMemory[];
  /** Opened and focused first. */
  readonly device: number;
}

const share = (part: number, whole: number): string => (whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`);

export function MemoryTable({ memory, device }: MemoryTableProps) {
  const roles = useApp((app) => app.info?.roles);
  const roots = useMemo(
    () => memory.map((own) => memoryTree(own, roles?.[own.device]?.title ?? `cuda:${own.device}`)),
    [memory, roles],
  );
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set([`cuda:${device}`]));
  const [active, setActive] = useState(`cuda:${device}`);
  const table = useRef<HTMLTableElement>(null);
  const focusNext = useRef(false);
  useEffect(() => {
    setOpen((old) => new Set([...old, `cuda:${device}`]));
    setActive(`cuda:${device}`);
  }, [device]);
  // Before the next key can come, which goes to what is focused.
  useLayoutEffect(() => {
    if (!focusNext.current) return;
    focusNext.current = false;
    table.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(active)}"]`)?.focus();
  }, [active]);
  const rows = visibleRows(roots, open);
  const here = rows.some(({ node }) => node.id === active) ? active : rows[0]?.node.id;
  const toggle = (id: string, to: boolean) =>
    setOpen((old) => new Set(to ? [...old, id] : [...old].filter((other) => other !== id)));
  const go = (row: MemoryRow | undefined) => {
    if (!row) return;
    focusNext.current = true;
    setActive(row.node.id);
  };
  const onKeyDown = (event: KeyboardEvent, row: MemoryRow, index: number) => {
    const { node, parent } = row;
    const isOpen = open.has(node.id);
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(rows[index + 1]),
      ArrowUp: () => go(rows[index - 1]),
      Home: () => go(rows[0]),
      End: () => go(rows.at(-1)),
      ArrowRight: () => (isOpen ? go(rows[index + 1]) : node.children.length > 0 && toggle(node.id, true)),
      ArrowLeft: () => (isOpen ? toggle(node.id, false) : go(rows.find((other) => other.node.id === parent))),
      Enter: () => node.children.length > 0 && toggle(node.id, !isOpen),
    };
    const move = lookup(moves, event.key);
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };
  const whole = (row: MemoryRow) =>
    roots.find(({ id }) => row.node.id === id || row.node.id.startsWith(`${id}/`))?.bytes ?? 0;
  return (
    <div className={styles['scroll']}>
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
                  title={node.tensors.length > 1 ? `One after the other: ${node.tensors.join(', ')}` : node.name}
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
