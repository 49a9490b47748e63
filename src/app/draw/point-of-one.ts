/** Makes uPlot mark a single value, which is not a line, by a point. */
import type uPlot from 'uplot';

const count = (values: ArrayLike<number | null | undefined> = []): number =>
  Array.from(values).filter((value) => typeof value === 'number').length;

export const POINT_OF_ONE: uPlot.Series.Points = {
  size: 5,
  // Counts the values of this line only.
  show: (of, series) => count(of.data[series]) <= 1,
};
