/** The confusion matrix of the newest snapshot, a line about the active cell, and the numbers as a table. */
import { useCallback, useMemo, useRef, useState } from 'react';
import { usePalette } from '../../draw/canvas-context';
import { formatCount, formatPercent } from '../../draw/format';
import { useSize } from '../../draw/use-surface';
import { Choice } from '../../fields/settings';
import type { SavedFigure } from '../../picture/figure-picture';
import { SavePicture } from '../../picture/save-button';
import { useApp, useSettled } from '../../state/use-app';
import { type CanvasCell, CellCanvas } from '../cells/cell-canvas';
import styles from '../views/views.module.css';
import { confusionNumbers } from './confusion-numbers';
import { ConfusionTable } from './confusion-table';
import { matrixCellAt, matrixLayout } from './matrix-layout';
import { paintConfusion } from './paint-confusion';

const EVERY_MS = 200;
const WIDEST = 460;
const UNITS = { counts: 'as counts', shares: 'as % of the target' };

const NO_NAMES: readonly string[] = [];

export function ConfusionView() {
  const confusion = useSettled((app) => app.snapshot?.confusion, EVERY_MS);
  const names = useApp((app) => app.info?.dataset.classNames) ?? NO_NAMES;
  const palette = usePalette();
  const host = useRef<HTMLDivElement>(null);
  const width = Math.min(WIDEST, useSize(host).width);
  const [cell, setCell] = useState<CanvasCell>();
  const [unit, setUnit] = useState<'counts' | 'shares'>('counts');
  const numbers = useMemo(() => confusion && confusionNumbers(confusion), [confusion]);
  const classes = numbers?.classes ?? 0;
  const layout = useMemo(() => {
    const longest = Math.max(...Array.from({ length: classes }, (_, i) => (names[i] ?? String(i)).length));
    return width > 0 && classes > 0 ? matrixLayout(width, classes, longest) : undefined;
  }, [width, classes, names]);
  const paint = useCallback(
    (context: CanvasRenderingContext2D) => {
      if (layout && numbers) paintConfusion(context, { layout, numbers, names, unit, cell, palette });
    },
    [layout, numbers, names, unit, cell, palette],
  );
  const figure: SavedFigure = {
    async picture() {
      if (!layout || !numbers || !confusion) return undefined;
      const rows = confusion.of === 'test' ? 'test' : 'training';
      return {
        width: layout.width,
        height: layout.height,
        paint: ({ context, palette: ink }) =>
          paintConfusion(context, { layout, numbers, names, unit, cell: undefined, palette: ink }),
        caption: (run) =>
          `${run}: targets down, predictions across; ${formatCount(numbers.right)} of ${formatCount(numbers.rows)} ${rows} rows right.`,
      };
    },
  };
  const nameOf = (index: number) => names[index] ?? String(index);
  const speak = ({ row, column }: CanvasCell) =>
    `target ${nameOf(row)} taken for ${nameOf(column)}: ${numbers?.count(row, column) ?? 0} of ${numbers?.total(row) ?? 0}`;
  return (
    <div ref={host}>
      {!numbers && <p className={styles['quiet']}>Nothing is counted yet.</p>}
      {numbers && layout && confusion && (
        <>
          <CellCanvas
            label="Confusion matrix, row target, column prediction"
            size={layout}
            rows={classes}
            columns={classes}
            paint={paint}
            cellAt={(point) => matrixCellAt(layout, classes, point)}
            cell={cell}
            onCell={setCell}
            speak={speak}
          />
          <p className={styles['readout']}>
            {cell
              ? `${speak(cell)}${cell.row === cell.column ? ', right' : ''}`
              : `${formatCount(numbers.right)} of ${formatCount(numbers.rows)} ${confusion.of === 'test' ? 'test' : 'training'} rows right, ${formatPercent(numbers.right / Math.max(1, numbers.rows))}`}
          </p>
          {layout.numbers && (
            <Choice
              label="Cells"
              words={UNITS}
              value={unit}
              onChange={(next) => setUnit(next === 'shares' ? 'shares' : 'counts')}
            />
          )}
          <SavePicture name="confusion" what="the confusion matrix" figure={figure} />
          <ConfusionTable numbers={numbers} nameOf={nameOf} />
        </>
      )}
    </div>
  );
}
