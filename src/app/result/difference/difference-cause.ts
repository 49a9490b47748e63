/**
 * Why the weights of a parallel run differ from those of one device: the first cause that the mode finds in the
 * settings, else rounding. Pure; growth-words.ts checks the cause against the control.
 */
import { FACES } from '../../../parallel/faces';
import type { Config } from '../../../protocol/config';

export const differenceCause = (config: Config): string => namedCause(config) ?? 'rounding';

/** The difference that the settings cause; undefined if they change only the order of sums. */
export const namedCause = (config: Config): string | undefined => FACES[config.mode].differenceCause?.(config);
