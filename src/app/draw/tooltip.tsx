/**
 * The tooltip of the stage and the timeline: a title, facts, and exact values in a grid tinted like the cells they
 * explain. It is placed over the canvas by `anchor`, in window coordinates; the words reach assistive tools through the
 * list of the same items, so it is hidden from them.
 */
import { useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { usePalette } from './canvas-context';
import { formatValue } from './canvas-numbers';
import type { Point, Rect } from './geometry';
import { cellValue, type HeatCells } from './heat-map';
import type { Tip } from './tip';
import { boundsFor, placeTip } from './tip-place';
import styles from './tooltip.module.css';
import { scaleValue } from './value-scale';

const MOST_ROWS = 8;
const MOST_COLUMNS = 8;
/** Approximate width of a value with its swatch, in pixels. */
const VALUE_WIDTH = 82;

function Values({ cells }: { cells: HeatCells }) {
  const palette = usePalette();
  const rows = Math.min(cells.rows, MOST_ROWS);
  const columns = Math.min(cells.columns, MOST_COLUMNS, Math.floor((window.innerWidth - 40) / VALUE_WIDTH));
  return (
    <table className={styles['values']}>
      <tbody>
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its index
          <tr key={row}>
            {Array.from({ length: columns }, (_, column) => {
              const value = cellValue(cells, row, column);
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its index
                <td key={column}>
                  {value !== undefined && <i style={{ background: palette.diverging(scaleValue(value, cells.end)) }} />}
                  {value === undefined ? '' : formatValue(value)}
                </td>
              );
            })}
            {columns < cells.columns && <td>…</td>}
          </tr>
        ))}
        {rows < cells.rows && (
          <tr>
            <td>…</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

interface TooltipProps {
  readonly tip: Tip;
  readonly anchor: Rect;
  /** The tooltip stays inside this rectangle if it can, so that it covers no controls. */
  readonly figure?: Rect;
  /**
   * The element that the tooltip explains: if it is in a dialog, the tooltip must be, too, because a dialog covers
   * everything outside.
   */
  readonly of?: Element | null;
}

export function Tooltip({ tip, anchor, figure, of }: TooltipProps) {
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<Point>();
  useLayoutEffect(() => {
    if (!box.current) return;
    const { width, height } = box.current.getBoundingClientRect();
    const size = { width, height };
    const next = placeTip(
      anchor,
      size,
      boundsFor(size, figure, { width: window.innerWidth, height: window.innerHeight }),
    );
    setAt((old) => (old && old.x === next.x && old.y === next.y ? old : next));
  });
  return createPortal(
    <div
      ref={box}
      className={styles['tip']}
      aria-hidden="true"
      style={{ left: at?.x ?? 0, top: at?.y ?? 0, visibility: at ? 'visible' : 'hidden' }}
    >
      <b>{tip.title}</b>
      <dl>
        {tip.facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {tip.cells && <Values cells={tip.cells} />}
      {tip.note && <p>{tip.note}</p>}
    </div>,
    of?.closest('dialog') ?? document.body,
  );
}
