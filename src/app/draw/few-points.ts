/** A single value is no line: so uPlot marks the values of a series by points while they are few. */
import type uPlot from 'uplot';

const FEW = 3;

const count = (values: ArrayLike<number | null | undefined> = []): number =>
  Array.from(values).filter((value) => typeof value === 'number').length;

export const POINTS_WHILE_FEW: uPlot.Series.Points = {
  size: 6,
  // However many another line has.
  show: (of, series) => count(of.data[series]) <= FEW,
};
