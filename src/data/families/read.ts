/** The data sets that are read from the user's files: every file of read/, as one part of the site. */
import type { DataFamily } from '../family';

const files = import.meta.glob<DataFamily>(['./read/*.ts', '!./read/*.test.ts'], { eager: true, import: 'family' });

export const READ: readonly DataFamily[] = Object.values(files);
