/**
 * Vitest's order of files: those that take longest first, so that two workers end together. The rest by size, as Vitest
 * does.
 */
import { BaseSequencer } from 'vitest/node';

/** The longest files, longest first, as measured on two quiet cores. */
const LONG = [
  'training/parity/parity.gpu.test.ts',
  'training/device-loss.gpu.test.ts',
  'training/soak.gpu.test.ts',
  'training/parity/script-losses.test.ts',
  'training/parity/parity.test.ts',
  'graph/ops.property.test.ts',
  'session/session.gpu.test.ts',
  'fuzz/fuzz.test.ts',
  'graph/ops.gpu.test.ts',
  'training/parity/bits.test.ts',
  'training/failures/kills.test.ts',
  'data/readers/unpack.test.ts',
  'training/parity/equality.test.ts',
  'app/stage/picture.test.ts',
];

/** @param {string} file */
const rank = (file) => {
  const found = LONG.findIndex((name) => file.endsWith(name));
  return found < 0 ? LONG.length : found;
};

export class LongestFirst extends BaseSequencer {
  /**
   * @override
   * @param {Parameters<BaseSequencer['sort']>[0]} files
   */
  async sort(files) {
    const sorted = await super.sort(files);
    return sorted.sort(
      (a, b) =>
        a.project.config.sequence.groupOrder - b.project.config.sequence.groupOrder ||
        rank(a.moduleId) - rank(b.moduleId),
    );
  }
}
