/**
 * The settings with which a run of this model, data and batch opens, for modes in which others may not: what the page
 * sets when the mode is chosen. Apart from the faces, which the session loads, too. `rows`: training rows in an epoch,
 * where they are known.
 */
import type { Config, Mode } from '../protocol/config';
import { fitted as pipeline } from './pipeline/face-fit';
import { fitted as sharded } from './sharded/face-fit';
import { fitted as tensor } from './tensor/face-fit';

export const FITS: Readonly<Partial<Record<Mode, (config: Config, rows?: number) => Config>>> = {
  pipeline,
  sharded,
  tensor,
};
