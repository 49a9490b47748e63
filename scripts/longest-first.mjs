/**
 * Vitest's order of test files: the files that take longest come first, so that two workers end at about the same time.
 * The other files are sorted by size, as in Vitest. The files of a project stay together: a file of another project
 * between them would end a worker that has their modules loaded.
 */
import { BaseSequencer } from 'vitest/node';

/** The slowest files by measured time, the slowest first. */
const LONG = [
  'training/parity/parity.gpu.test.ts',
  'training/device-loss.gpu.test.ts',
  'training/soak.gpu.test.ts',
  'training/parity/pipeline.gpu.test.ts',
  'graph/ops.gpu.test.ts',
  'training/parity/bits.gpu.test.ts',
  'session/session.gpu.test.ts',
  'webgpu/webgpu-executor.gpu.test.ts',
  'training/parity/parity.test.ts',
  'training/parity/script-losses.test.ts',
  'graph/ops.property.test.ts',
  'training/parity/pipeline.test.ts',
  'training/parity/bits.test.ts',
  'app/stage/picture.test.ts',
  'training/together.test.ts',
  'fuzz/fuzz.test.ts',
  'app/stage/fits.test.ts',
  'checkpoint/any-resume.property.test.ts',
  'training/failures/kills.test.ts',
  'collectives/collectives.property.test.ts',
  'training/trace.test.ts',
  'trace/real-steps.test.ts',
  'checkpoint/checkpoint.test.ts',
  'app/compare/duo.test.ts',
  'training/sentences.test.ts',
  'lab/lab.test.ts',
  'simulator/closed-form.test.ts',
  'training/parity/equality.test.ts',
  'data/readers/unpack.test.ts',
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
        a.project.name.localeCompare(b.project.name) ||
        rank(a.moduleId) - rank(b.moduleId),
    );
  }
}
