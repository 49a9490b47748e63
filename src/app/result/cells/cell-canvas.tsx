/**
 * A canvas of cells in rows and columns for pointer, touch and keyboard: `onCell` receives the active cell. The canvas
 * is one Tab stop; arrow keys move from cell to cell. Only the active cell has an element in the page, with its words.
 */

import { type KeyboardEvent, type PointerEvent, useId, useRef } from 'react';
import { lookup } from '../../../base/lookup';
import type { Point, Size } from '../../draw/geometry';
import styles from './cells.module.css';
import { usePainting } from './use-painting';

export interface CanvasCell {
  readonly row: number;
  readonly column: number;
}

interface CellCanvasProps {
  readonly label: string;
  readonly size: Size;
  readonly rows: number;
  readonly columns: number;
  readonly paint: (context: CanvasRenderingContext2D) => void;
  readonly cellAt: (point: Point) => CanvasCell | undefined;
  readonly cell: CanvasCell | undefined;
  readonly onCell: (cell: CanvasCell | undefined) => void;
  readonly speak: (cell: CanvasCell) => string;
  readonly onAct?: (cell: CanvasCell) => void;
}

const MOVES: Readonly<Record<string, CanvasCell>> = {
  ArrowRight: { row: 0, column: 1 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowDown: { row: 1, column: 0 },
  ArrowUp: { row: -1, column: 0 },
};

const clamp = (value: number, most: number) => Math.min(Math.max(value, 0), most);

export function CellCanvas(props: CellCanvasProps) {
  const { label, size, rows, columns, paint, cellAt, cell, onCell, speak, onAct } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const last = useRef<CanvasCell>({ row: 0, column: 0 });
  const id = useId();
  usePainting(canvas, size, paint);
  const go = (to: CanvasCell) => {
    last.current = { row: clamp(to.row, rows - 1), column: clamp(to.column, columns - 1) };
    onCell(last.current);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = lookup(MOVES, event.key);
    const { row, column } = last.current;
    if (move) go({ row: row + move.row, column: column + move.column });
    else if (event.key === 'Home') go({ row, column: 0 });
    else if (event.key === 'End') go({ row, column: columns - 1 });
    else if (onAct && (event.key === 'Enter' || event.key === ' ')) onAct(last.current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const pointed = (event: PointerEvent): CanvasCell | undefined => {
    const box = event.currentTarget.getBoundingClientRect();
    return cellAt({ x: event.clientX - box.x, y: event.clientY - box.y });
  };
  const onPointer = (event: PointerEvent) => {
    const to = pointed(event);
    if (to?.row !== cell?.row || to?.column !== cell?.column) onCell(to);
  };
  const click = (event: PointerEvent) => {
    const to = pointed(event);
    if (to) onAct?.(to);
  };
  return (
    <div className={styles['cells']}>
      <canvas
        ref={canvas}
        style={{ width: size.width, height: size.height }}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
        onPointerUp={click}
        onPointerLeave={() => onCell(undefined)}
      />
      <div
        className="visually-hidden"
        role="listbox"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={cell && id}
        onKeyDown={onKeyDown}
        onFocus={() => go(last.current)}
        onBlur={() => onCell(undefined)}
      >
        {/* biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names this option as its active descendant */}
        <div id={id} role="option" aria-selected={cell !== undefined}>
          {speak(cell ?? last.current)}
        </div>
      </div>
    </div>
  );
}
