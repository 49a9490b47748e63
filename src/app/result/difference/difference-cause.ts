/**
 * Why the weights of a parallel run are not those of one device: the first cause that the mode finds in the settings,
 * else rounding. Pure; growth-words.ts holds it against the control.
 */
import { FACES } from '../../../parallel/faces';
import type { Config } from '../../../protocol/config';

export const differenceCause = (config: Config): string => namedCause(config) ?? 'rounding';

/** What the settings make different on purpose; undefined: nothing but the order of sums. */
export const namedCause = (config: Config): string | undefined => FACES[config.mode].differenceCause?.(config);
