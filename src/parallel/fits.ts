/**
 * Settings with which a run of this model, data and batch can open, for modes that refuse some settings. The page sets
 * them when the user chooses the mode. Not in the faces, because the session loads those, too. `rows`: training rows in
 * an epoch, if known.
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
