import { describe, expect, test } from 'vitest';
import { confusionNumbers } from './confusion-numbers';
import { cellRect, matrixCellAt, matrixLayout } from './matrix-layout';

describe.each([2, 3, 10, 26, 100, 1000])('%i classes in 312 pixels', (classes) => {
  const layout = matrixLayout(312, classes, 5);

  test('everything lies within the picture', () => {
    const last = cellRect(layout, classes - 1, classes - 1);
    expect(last.x + last.width).toBeLessThanOrEqual((layout.shareLeft > 0 ? layout.shareLeft : layout.width) + 1e-6);
    expect(layout.width).toBeLessThanOrEqual(312 + 1e-6);
    expect(last.y + last.height).toBeLessThanOrEqual(layout.height);
    expect(layout.cell).toBeGreaterThan(0);
  });

  test('a point in a cell selects this cell, a point beside the matrix selects none', () => {
    const middle = (row: number, column: number) => {
      const { x, y, width, height } = cellRect(layout, row, column);
      return matrixCellAt(layout, classes, { x: x + width / 2, y: y + height / 2 });
    };
    expect(middle(0, classes - 1)).toEqual({ row: 0, column: classes - 1 });
    expect(middle(classes - 1, 0)).toEqual({ row: classes - 1, column: 0 });
    expect(matrixCellAt(layout, classes, { x: layout.left - 2, y: layout.top + 2 })).toBeUndefined();
    expect(matrixCellAt(layout, classes, { x: layout.left + 2, y: layout.top - 2 })).toBeUndefined();
  });

  test('names do not touch', () => {
    expect(layout.rowNamedEvery * layout.cell).toBeGreaterThanOrEqual(12);
    expect(layout.columnNamedEvery * layout.cell).toBeGreaterThanOrEqual(layout.upright ? 12 : 30);
  });
});

test('short names stay level, long ones are upright where columns are narrow', () => {
  expect(matrixLayout(312, 10, 1)).toMatchObject({ upright: false, columnNamedEvery: 1 });
  expect(matrixLayout(312, 100, 2)).toMatchObject({ upright: false, rowNamedEvery: 5, columnNamedEvery: 6 });
  expect(matrixLayout(312, 6, 8)).toMatchObject({ upright: true, columnNamedEvery: 1 });
});

test('ten classes have numbers in their cells, a hundred have none', () => {
  expect(matrixLayout(312, 10, 1).numbers).toBe(true);
  expect(matrixLayout(312, 100, 2).numbers).toBe(false);
});

test('numbers of a confusion matrix', () => {
  const numbers = confusionNumbers({ counts: Uint32Array.of(8, 0, 2, 1, 5, 4, 0, 0, 0) });
  expect(numbers.classes).toBe(3);
  expect([numbers.right, numbers.rows]).toEqual([13, 20]);
  expect(numbers.share(1, 2)).toBe(0.4);
  expect(numbers.share(2, 0)).toBe(0);
  expect(numbers.mistakes).toEqual([
    { target: 1, predicted: 2, count: 4 },
    { target: 0, predicted: 2, count: 2 },
    { target: 1, predicted: 0, count: 1 },
  ]);
});
