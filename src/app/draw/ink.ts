/** The tools of a painter that draws values and patterns, made once per brush. */
import type { Brush } from './brush';
import { createHatches, type Hatches } from './hatch';
import { createHeat, type Heat } from './heat-map';

export interface Ink extends Brush {
  readonly heat: Heat;
  readonly hatch: Hatches;
}

export const inkOf = (brush: Brush): Ink => ({
  ...brush,
  heat: createHeat(brush.palette),
  hatch: createHatches(brush.context, brush.pixelRatio),
});
