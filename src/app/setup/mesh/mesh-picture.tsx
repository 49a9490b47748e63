/**
 * The mesh as a grid: one column per place on the outermost axis (a rank of the pipeline, or a replica), one row per
 * place on the other axes together. Pointing at or focusing a rank or a heading highlights its row and its column;
 * below the grid are the bytes that each axis sends per step, counted in the last traced step. The grid is one Tab
 * stop; arrow keys move from cell to cell.
 */
import { type KeyboardEvent, useRef, useState } from 'react';
import type { Axis } from '../../../protocol/mesh';
import { type MeshShape, placeOf, ranksAlong, ranksOf } from '../../../protocol/mesh-sizes';
import { usePalette } from '../../draw/canvas-context';
import { formatSize } from '../../draw/format';
import { useApp } from '../../state/use-app';
import styles from './mesh.module.css';
import { sentByAxis } from './sent-by-axis';

interface MeshProps {
  /** The axes, outermost first; the first axis is drawn from left to right. */
  readonly axes: readonly Axis[];
  readonly shape: MeshShape;
}

/** The name of an axis in links and sentences. */
export const shortName = (axis: Axis): string => (axis === 'dpReplicate' ? 'dp' : axis);

/** A place in the grid with its headings, which are row 0 and column 0. */
interface Place {
  readonly row: number;
  readonly column: number;
}

export function MeshPicture({ axes: [outermost = 'pp', ...inner], shape }: MeshProps) {
  const columns = shape[outermost];
  const rows = ranksOf({ ...shape, [outermost]: 1 });
  const trace = useApp((app) => app.traces.at(-1));
  const palette = usePalette();
  const [lit, setLit] = useState<Place>();
  const [at, setAt] = useState<Place>({ row: 1, column: 1 });
  const grid = useRef<HTMLDivElement>(null);
  const stop = at.row <= rows && at.column <= columns ? at : { row: 1, column: 1 };
  const go = (event: KeyboardEvent) => {
    const [down, right] = STEPS.get(event.key) ?? [0, 0];
    const next = { row: stop.row + down, column: stop.column + right };
    const isCorner = next.row === 0 && next.column === 0;
    if (isCorner || next.row < 0 || next.column < 0 || next.row > rows || next.column > columns) return;
    if (down === 0 && right === 0) return;
    event.preventDefault();
    setAt(next);
    grid.current?.querySelector<HTMLElement>(`[data-place="${next.row} ${next.column}"]`)?.focus();
  };
  const cell = (place: Place) => {
    // A heading stands for the first rank of its row or column.
    const rank = (Math.max(1, place.column) - 1) * rows + Math.max(1, place.row) - 1;
    const isRank = place.row > 0 && place.column > 0;
    const name = isRank
      ? `rank ${rank}`
      : place.row === 0
        ? heading([outermost], rank, shape)
        : heading(inner, rank, shape);
    return (
      <button
        key={`${place.row} ${place.column}`}
        type="button"
        className={styles[isRank ? 'rank' : 'axis']}
        style={{ ['--rank' as string]: palette.ranks[rank % palette.ranks.length] }}
        data-place={`${place.row} ${place.column}`}
        data-lit={(lit && isLit(place, lit)) || undefined}
        tabIndex={place.row === stop.row && place.column === stop.column ? 0 : -1}
        aria-label={`${name}: ${groupWords(place, rank, { axes: [outermost, ...inner], shape })}`}
        onFocus={() => {
          setAt(place);
          setLit(place);
        }}
        onBlur={() => setLit(undefined)}
        onPointerEnter={() => setLit(place)}
        onPointerLeave={() => setLit(undefined)}
      >
        {isRank ? rank : name}
      </button>
    );
  };
  const sent = trace && sentByAxis(trace, shape);
  return (
    <figure className={styles['mesh']} aria-label="Mesh of ranks">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons in it */}
      <div
        ref={grid}
        className={styles['grid']}
        style={{ gridTemplateColumns: `auto repeat(${columns}, minmax(0, 1fr))` }}
        onKeyDown={go}
      >
        {Array.from({ length: (columns + 1) * (rows + 1) }, (_, i) => ({
          row: Math.floor(i / (columns + 1)),
          column: i % (columns + 1),
        })).map((place) => (place.row === 0 && place.column === 0 ? <span key="corner" /> : cell(place)))}
      </div>
      <figcaption className={styles['traffic']}>
        {(columns > 1 || outermost === 'pp') && (
          <p data-lit={(lit !== undefined && lit.row > 0) || undefined}>
            row: {LINES[outermost].what},{' '}
            {columns === 1 ? 'sends nothing' : `${LINES[outermost].does}${bytes(sent?.[outermost])}`}
          </p>
        )}
        {inner
          .filter((axis) => shape[axis] > 1)
          .map((axis) => (
            <p key={axis} data-lit={(lit !== undefined && lit.column > 0) || undefined}>
              column: {LINES[axis].what}, {LINES[axis].does}
              {bytes(sent?.[axis])}
            </p>
          ))}
      </figcaption>
    </figure>
  );
}

const STEPS: ReadonlyMap<string, readonly [down: number, right: number]> = new Map([
  ['ArrowUp', [-1, 0]],
  ['ArrowDown', [1, 0]],
  ['ArrowLeft', [0, -1]],
  ['ArrowRight', [0, 1]],
]);

/** Whether a place is highlighted: a rank highlights its row and its column, a heading only its own line. */
const isLit = (place: Place, lit: Place): boolean =>
  (lit.row > 0 && place.row === lit.row) || (lit.column > 0 && place.column === lit.column);

/** 'dp 1'; for several axes 'dp 1, tp 0'. */
const heading = (axes: readonly Axis[], rank: number, shape: MeshShape): string =>
  axes.map((axis) => `${shortName(axis)} ${placeOf(rank, shape)[axis]}`).join(', ');

/** Words for the ranks on a line along an axis: what they form, what they send, and both with the ranks' numbers. */
const LINES: Readonly<Record<Axis, { readonly what: string; readonly does: string; readonly ranks: string }>> = {
  pp: { what: 'a pipeline', does: 'sends activations and their gradients', ranks: 'pipeline of ranks' },
  dpReplicate: { what: 'replicas', does: 'all-reduce gradients', ranks: 'replicas are ranks' },
  dpShard: { what: 'shards', does: 'gather parameters and scatter gradients', ranks: 'shards are ranks' },
  cp: { what: 'parts of a sequence', does: 'exchange keys and values', ranks: 'parts of a sequence are ranks' },
  tp: { what: 'a tensor group', does: 'gathers and adds parts of layers', ranks: 'tensor group of ranks' },
};

function groupWords({ row, column }: Place, rank: number, { axes, shape }: MeshProps): string {
  const [outermost = 'pp', ...inner] = axes;
  const place = placeOf(rank, shape);
  const ofLine = (axis: Axis) => `${LINES[axis].ranks} ${ranksAlong([axis], place, shape).join(', ')}`;
  const inRow = ofLine(outermost);
  const others = inner.filter((axis) => shape[axis] > 1).map(ofLine);
  const inColumn = others.length === 0 ? 'no replicas' : others.join('; ');
  if (row === 0) return inColumn;
  return column === 0 ? inRow : `${inRow}; ${inColumn}`;
}

const bytes = (sent: number | undefined): string => (sent === undefined ? '' : `, ${formatSize(sent)} per step`);
