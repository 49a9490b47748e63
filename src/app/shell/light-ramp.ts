/**
 * The colours of values on paper: the orange half of ColorBrewer's PuOr and the blue half of its RdBu. theme.ts reads
 * them.
 */
import { hexRgb, splineRamp } from '../draw/scales';

const scheme = (colours: string) => splineRamp(colours.split(' ').map(hexRgb));
const PU_OR = scheme('#2d004b #542788 #8073ac #b2abd2 #d8daeb #f7f7f7 #fee0b6 #fdb863 #e08214 #b35806 #7f3b08');
const RD_BU = scheme('#67001f #b2182b #d6604d #f4a582 #fddbc7 #f7f7f7 #d1e5f0 #92c5de #4393c3 #2166ac #053061');

/** CSS colour of -1 to 1. Both schemes have the same middle. */
export const lightRamp = (value: number): string => (value < 0 ? PU_OR(0.5 - 0.35 * value) : RD_BU(0.5 + 0.39 * value));
