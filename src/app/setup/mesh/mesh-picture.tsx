/**
 * The mesh as a grid: a column per rank of the pipeline, a row per replica. A rank or an axis that is pointed at, or
 * has the focus, lights its groups; below it is what each axis sends in a step, counted from the last one that was
 * traced. One stop of the Tab key; arrows go from cell to cell.
 */
import { type KeyboardEvent, useRef, useState } from 'react';
import type { StepTrace } from '../../../protocol/trace';
import { usePalette } from '../../draw/drawing';
import { formatSize } from '../../draw/format';
import { useApp } from '../../state/use-app';
import styles from './mesh.module.css';

interface MeshProps {
  readonly pp: number;
  readonly dp: number;
}

/** Of the grid with its headings: row 0 and column 0 are those. */
interface Place {
  readonly row: number;
  readonly column: number;
}

export function MeshPicture({ pp, dp }: MeshProps) {
  const trace = useApp((app) => app.traces.at(-1));
  const palette = usePalette();
  const [lit, setLit] = useState<Place>();
  const [at, setAt] = useState<Place>({ row: 1, column: 1 });
  const grid = useRef<HTMLDivElement>(null);
  const stop = at.row <= dp && at.column <= pp ? at : { row: 1, column: 1 };
  const go = (event: KeyboardEvent) => {
    const [down, right] = STEPS.get(event.key) ?? [0, 0];
    const next = { row: stop.row + down, column: stop.column + right };
    const isCorner = next.row === 0 && next.column === 0;
    if (isCorner || next.row < 0 || next.column < 0 || next.row > dp || next.column > pp) return;
    if (down === 0 && right === 0) return;
    event.preventDefault();
    setAt(next);
    grid.current?.querySelector<HTMLElement>(`[data-place="${next.row} ${next.column}"]`)?.focus();
  };
  const cell = (place: Place) => {
    const rank = (place.column - 1) * dp + place.row - 1;
    const isRank = place.row > 0 && place.column > 0;
    const name = isRank ? `rank ${rank}` : place.row === 0 ? `pp ${place.column - 1}` : `dp ${place.row - 1}`;
    return (
      <button
        key={`${place.row} ${place.column}`}
        type="button"
        className={styles[isRank ? 'rank' : 'axis']}
        style={{ ['--rank' as string]: palette.ranks[rank % palette.ranks.length] }}
        data-place={`${place.row} ${place.column}`}
        data-lit={(lit && isLit(place, lit)) || undefined}
        tabIndex={place.row === stop.row && place.column === stop.column ? 0 : -1}
        aria-label={`${name}: ${groupWords(place, { pp, dp })}`}
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
  const sent = trace && sentByAxis(trace);
  return (
    <figure className={styles['mesh']} aria-label="Mesh of ranks">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons in it */}
      <div
        ref={grid}
        className={styles['grid']}
        style={{ gridTemplateColumns: `auto repeat(${pp}, minmax(0, 1fr))` }}
        onKeyDown={go}
      >
        {Array.from({ length: (pp + 1) * (dp + 1) }, (_, i) => ({
          row: Math.floor(i / (pp + 1)),
          column: i % (pp + 1),
        })).map((place) => (place.row === 0 && place.column === 0 ? <span key="corner" /> : cell(place)))}
      </div>
      <figcaption className={styles['traffic']}>
        <p data-lit={(lit !== undefined && lit.row > 0) || undefined}>
          row: a pipeline, {pp === 1 ? 'sends nothing' : `sends activations and their gradients${bytes(sent?.pp)}`}
        </p>
        {dp > 1 && (
          <p data-lit={(lit !== undefined && lit.column > 0) || undefined}>
            column: replicas of a stage, all-reduce gradients{bytes(sent?.dp)}
          </p>
        )}
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

/** A rank lights its row and its column, a heading its own line. */
const isLit = (place: Place, lit: Place): boolean =>
  (lit.row > 0 && place.row === lit.row) || (lit.column > 0 && place.column === lit.column);

function groupWords({ row, column }: Place, { pp, dp }: MeshProps): string {
  const inRow = `pipeline of ranks ${line(pp, (i) => i * dp + row - 1)}`;
  const inColumn = dp === 1 ? 'no replicas' : `replicas are ranks ${line(dp, (i) => (column - 1) * dp + i)}`;
  if (row === 0) return inColumn;
  return column === 0 ? inRow : `${inRow}; ${inColumn}`;
}

const line = (count: number, rank: (index: number) => number): string =>
  Array.from({ length: count }, (_, i) => rank(i)).join(', ');

const bytes = (sent: number | undefined): string => (sent === undefined ? '' : `, ${formatSize(sent)} a step`);

/** Bytes that all ranks send in the step along each axis. */
export function sentByAxis({ events }: StepTrace): { readonly pp: number; readonly dp: number } {
  let [pp, dp] = [0, 0];
  for (const { kind, collective, action, bytes: size } of events) {
    if (kind !== 'send') continue;
    if (collective) dp += collective.group?.axis === 'dpReplicate' ? size : 0;
    else if (action) pp += size;
  }
  return { pp, dp };
}
