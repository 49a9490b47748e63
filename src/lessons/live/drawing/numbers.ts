/** Updates the table below a drawing when a knob turns. */
import type { Drawn } from '../../drawing/drawing';
import { write } from '../../facts/write';

export function writeTable(figure: HTMLElement, { values, table }: Drawn): void {
  const rows = table?.rows ?? values.map(({ label, value, format }) => [label, write(value, format)]);
  const body = figure.querySelector('.figure-numbers tbody');
  rows.forEach((cells, row) => {
    const own = body?.children[row];
    cells.forEach((cell, column) => {
      const place = own?.children[column];
      if (place && place.textContent !== cell) place.textContent = cell;
    });
  });
}
