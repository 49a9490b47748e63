/**
 * Vitest's order of files: those that take longest first, so that two workers end together. The rest by size, as Vitest
 * does.
 */
import { BaseSequencer } from 'vitest/node';

/** The longest files, longest first, as measured. */
const LONG = [
  'training/parity/parity.gpu.test.ts',
  'training/device-loss.gpu.test.ts',
  'graph/ops.gpu.test.ts',
  'training/parity/bits.gpu.test.ts',
  'session/session.gpu.test.ts',
  'training/soak.gpu.test.ts',
  'webgpu/webgpu-executor.gpu.test.ts',
  'training/parity/script-losses.test.ts',
  'training/parity/parity.test.ts',
  'graph/ops.property.test.ts',
  'lab/lab.test.ts',
  'simulator/closed-form.test.ts',
  'training/parity/bits.test.ts',
  'app/stage/picture.test.ts',
  'training/parity/equality.test.ts',
  'data/readers/unpack.test.ts',
  'training/failures/kills.test.ts',
  'fuzz/fuzz.test.ts',
  'training/parity/worlds.test.ts',
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
