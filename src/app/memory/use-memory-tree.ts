/**
 * The state of the memory tree's table: the open nodes, the focused row, and the usual keys of a tree. Used by
 * memory-table.tsx.
 */
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { lookup } from '../../base/lookup';
import { type MemoryNode, type MemoryRow, visibleRows } from './memory-tree';

/** `device` is opened and focused first. */
export function useMemoryTree(roots: readonly MemoryNode[], device: number) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set([`cuda:${device}`]));
  const [active, setActive] = useState(`cuda:${device}`);
  const table = useRef<HTMLTableElement>(null);
  const focusNext = useRef(false);
  useEffect(() => {
    setOpen((old) => new Set([...old, `cuda:${device}`]));
    setActive(`cuda:${device}`);
  }, [device]);
  // A layout effect, so that the focus moves before the next key arrives.
  useLayoutEffect(() => {
    if (!focusNext.current) return;
    focusNext.current = false;
    table.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(active)}"]`)?.focus();
  }, [active]);
  const rows = visibleRows(roots, open);
  /** The row that Tab focuses. */
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
  return { table, rows, open, here, toggle, setActive, onKeyDown };
}
