/** Data files of a run: tables as CSV text, tables and images as NumPy arrays. Their names give the configuration. */
import { writeNpy } from '../../src/data/readers/npy';
import type { ConfigInput } from '../../src/protocol/config';
import type { Files } from '../../src/protocol/session';
import { Generator } from '../../src/tensor/generator';
import { type Gen, int, often, one, some } from './draws';

type Data = NonNullable<ConfigInput['data']>;

/** The targets of the rows: the classes, or so many numbers a row. */
export type Targets = { readonly classes: number } | { readonly width: number };

export interface DataFiles {
  readonly data: Data;
  readonly files: Files;
}

const TEST = { testFraction: 0.2 };

/** `shape`: of a row of inputs, [features] or [channels, height, width]. */
export function anyNpy(g: Gen, shape: readonly number[], targets: Targets): DataFiles {
  const rows = int(g, 20, 50);
  const generator = new Generator(int(g, 0, 1000));
  const inputs = generator.randn(shape.reduce((product, size) => product * size, rows));
  const isColumn = often(g, 50);
  const y =
    'classes' in targets
      ? writeNpy(Int32Array.from(generator.randint(0, targets.classes, rows)), isColumn ? [rows, 1] : [rows])
      : writeNpy(
          generator.randn(rows * targets.width),
          targets.width === 1 && !isColumn ? [rows] : [rows, targets.width],
        );
  return {
    data: { type: 'npy', inputs: 'x.npy', targets: 'y.npy', ...some(g, 30, () => TEST) },
    files: { 'x.npy': writeNpy(inputs, [rows, ...shape]), 'y.npy': y },
  };
}

/** Classes are numbers or words. */
export function anyCsv(g: Gen, features: number, targets: { readonly classes: number } | 'real'): DataFiles {
  const rows = int(g, 20, 50);
  const generator = new Generator(int(g, 0, 1000));
  const header = often(g, 60);
  const column = int(g, 0, features);
  const separator = one(g, ',', ';', '\t');
  const words = often(g, 40);
  const values = generator.randn(rows * features);
  const classes = targets === 'real' ? undefined : generator.randint(0, targets.classes, rows);
  const target = (row: number): string =>
    classes === undefined
      ? String((values[row * features] ?? 0) ** 2)
      : words
        ? `class ${classes[row]}`
        : String(classes[row]);
  const lines = Array.from({ length: rows }, (_, row) => {
    const cells = Array.from(values.subarray(row * features, (row + 1) * features), String);
    return [...cells.slice(0, column), target(row), ...cells.slice(column)].join(separator);
  });
  const names = Array.from({ length: features + 1 }, (_, i) => (i === column ? 'target' : `x${i}`));
  const text = `${[...(header ? [names.join(separator)] : []), ...lines].join('\n')}\n`;
  return {
    data: {
      type: 'csv',
      file: 'rows.csv',
      ...(column === features && often(g, 50) ? {} : { target: header && often(g, 50) ? 'target' : column }),
      ...(often(g, 50) ? { header: header ? 'yes' : 'no' } : {}),
      ...some(g, 30, () => TEST),
    },
    files: { 'rows.csv': new TextEncoder().encode(text) },
  };
}
