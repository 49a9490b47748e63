/** The data sets that Lockstep makes itself, except the spiral: every file of made/, as one part of the site. */
import type { DataFamily } from '../family';

const files = import.meta.glob<DataFamily>(['./made/*.ts', '!./made/*.test.ts'], { eager: true, import: 'family' });

export const MADE: readonly DataFamily[] = Object.values(files);
