/** The kernels of one convolution as tiles on the scale for values; the one looked at is told in numbers. */
import { useCallback, useMemo, useState } from 'react';
import type { ParameterInfo } from '../../../protocol/session';
import { createHeat } from '../../draw/heat-map';
import { formatValue } from '../../draw/numbers';
import { usePalette } from '../../use-app';
import { type Cell, CellCanvas } from '../cells/cell-canvas';
import views from '../views/views.module.css';
import { channelsOf, filterLayout, kernelAt, kernelRect } from './filter-layout';

interface FilterTilesProps {
  readonly info: ParameterInfo;
  readonly values: Float32Array;
  readonly width: number;
  readonly first: boolean;
}

export function FilterTiles({ info: { name, shape }, values, width, first }: FilterTilesProps) {
  const palette = usePalette();
  const [cell, setCell] = useState<Cell>();
  const [outs = 1, ins = 1, height = 1, breadth = 1] = shape;
  const layout = useMemo(() => filterLayout(width, shape, first), [width, shape, first]);
  const paint = useCallback(
    (context: CanvasRenderingContext2D) => {
      const heat = createHeat(palette);
      for (let row = 0; row < layout.rows; row++) {
        for (let column = 0; column < layout.columns; column++) {
          const channels = channelsOf(layout, { row, column });
          if (!channels) continue;
          const offset = (channels.out * ins + channels.in) * height * breadth;
          const cells = { values, offset, stride: breadth, rows: height, columns: breadth };
          heat(context, cells, kernelRect(layout, { row, column }), undefined);
        }
      }
      if (!cell) return;
      const { x, y, width: w, height: h } = kernelRect(layout, cell);
      context.strokeStyle = palette.ink;
      context.lineWidth = 1.5;
      context.strokeRect(x, y, w, h);
    },
    [layout, values, palette, cell, ins, height, breadth],
  );
  const speak = (at: Cell): string => {
    const channels = channelsOf(layout, at);
    if (!channels) return 'no filter here';
    const start = (channels.out * ins + channels.in) * height * breadth;
    const own = [...values.subarray(start, start + height * breadth)];
    return `[${channels.out}, ${channels.in}]: from ${formatValue(Math.min(...own))} to ${formatValue(Math.max(...own))}`;
  };
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const cut = layout.outs < outs || layout.ins < ins;
  return (
    <section>
      <h3>
        {name} <span>[{shape.join(', ')}]</span>
      </h3>
      <CellCanvas
        label={`Filters of ${name}`}
        size={layout}
        rows={layout.rows}
        columns={layout.columns}
        paint={paint}
        cellAt={(point) => kernelAt(layout, point)}
        cell={cell}
        onCell={(next) => setCell(next && channelsOf(layout, next) && next)}
        speak={speak}
      />
      <p className={views['readout']}>
        {cell
          ? speak(cell)
          : `${cut ? `the first ${layout.outs} × ${layout.ins} of ` : ''}${outs} × ${ins} ${outs * ins === 1 ? 'kernel' : 'kernels'}, |w| up to ${formatValue(largest)}`}
      </p>
    </section>
  );
}
