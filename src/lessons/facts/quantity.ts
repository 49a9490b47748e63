/** A row of the tables of quantities (quantities.ts, pipeline-quantities.ts). */
import type { Facts } from './facts';
import type { Format } from './write';

export interface Quantity {
  /** Name of the quantity in the table below a figure. */
  readonly label: string;
  readonly format: Format;
  readonly of: (facts: Facts, argument: string) => number | undefined;
}
