/**
 * The kernels of one convolution as tiles, coloured relative to the largest value; the chosen kernel also in numbers.
 */
import { useCallback, useMemo, useState } from 'react';
import type { ParameterInfo } from '../../../protocol/session-info';
import { usePalette } from '../../draw/canvas-context';
import { formatValue } from '../../draw/canvas-numbers';
import { createHeat } from '../../draw/heat-map';
import { type CanvasCell, CellCanvas } from '../cells/cell-canvas';
import views from '../views/views.module.css';
import { channelsOf, filterLayout, kernelAt, kernelRect } from './filter-layout';
import { KernelTable } from './kernel-table';

interface FilterTilesProps {
  readonly info: ParameterInfo;
  readonly values: Float32Array;
  readonly width: number;
  readonly first: boolean;
}

export function FilterTiles({ info: { name, shape }, values, width, first }: FilterTilesProps) {
  const palette = usePalette();
  const [cell, setCell] = useState<CanvasCell>();
  const [looked, setLooked] = useState<CanvasCell>({ row: 0, column: 0 });
  const [outs = 1, ins = 1, height = 1, breadth = 1] = shape;
  const layout = useMemo(() => filterLayout(width, shape, first), [width, shape, first]);
  const largest = useMemo(() => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0), [values]);
  const paint = useCallback(
    (context: CanvasRenderingContext2D) => {
      const heat = createHeat(palette);
      for (let row = 0; row < layout.rows; row++) {
        for (let column = 0; column < layout.columns; column++) {
          const channels = channelsOf(layout, { row, column });
          if (!channels) continue;
          const offset = (channels.out * ins + channels.in) * height * breadth;
          const cells = { values, offset, stride: breadth, rows: height, columns: breadth, end: largest };
          heat(context, cells, kernelRect(layout, { row, column }), undefined);
        }
      }
      if (!cell) return;
      const { x, y, width: w, height: h } = kernelRect(layout, cell);
      context.strokeStyle = palette.ink;
      context.lineWidth = 1.5;
      context.strokeRect(x, y, w, h);
    },
    [layout, values, largest, palette, cell, ins, height, breadth],
  );
  const kernelOf = (at: CanvasCell) => {
    const channels = channelsOf(layout, at) ?? { out: 0, in: 0 };
    const start = (channels.out * ins + channels.in) * height * breadth;
    return { name: `[${channels.out}, ${channels.in}]`, values: values.subarray(start, start + height * breadth) };
  };
  const speak = (at: CanvasCell): string => {
    if (!channelsOf(layout, at)) return 'no kernel here';
    const kernel = kernelOf(at);
    return `${kernel.name}: from ${formatValue(Math.min(...kernel.values))} to ${formatValue(Math.max(...kernel.values))}`;
  };
  const told = kernelOf(looked);
  const look = (next: CanvasCell | undefined) => {
    const there = next && channelsOf(layout, next) ? next : undefined;
    setCell(there);
    if (there) setLooked(there);
  };
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
        onCell={look}
        speak={speak}
      />
      <p className={views['readout']}>
        {cell
          ? speak(cell)
          : `${cut ? `the first ${layout.outs} × ${layout.ins} of ` : ''}${outs} × ${ins} ${outs * ins === 1 ? 'kernel' : 'kernels'}, |w| up to ${formatValue(largest)}`}
      </p>
      <KernelTable name={`${name}${told.name}`} rows={height} columns={breadth} values={told.values} />
    </section>
  );
}
