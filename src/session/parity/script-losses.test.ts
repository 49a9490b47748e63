/** The script that the page shows really prints the losses of the run: each script here ran under torch 1.13.1, DDP's in processes over gloo. */
import { describe, expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { codeLines } from '../../interop/pytorch-code';
import { STRATEGIES } from '../../parallel/strategies';
import { parseConfig } from '../config/parse-config';
import fixtures from '../fixtures/script-losses.json';
import { runConfig } from '../run';

/** Of the loss: the rounding of a few steps in float32. */
const BAR = 2e-6;

describe.each(fixtures.cases)(
  '$config.mode $config.data.type $config.loss.type',
  ({ config: input, script, losses }) => {
    const config = parseConfig({ ...input, device: 'cpu' });

    test('the code panel shows the script that ran', () => {
      const code = codeLines(config, STRATEGIES[config.mode].layersOfDevice(config));
      expect(code.map((line) => line.text)).toEqual(script);
    });

    test.each(['shared', 'workers'] as const)('the run has the losses that it printed (%s)', async (placement) => {
      const { report } = await runConfig({ ...config, placement }, {});
      expect(report.error).toBeUndefined();
      expect(report.losses.map((record) => record.perRank.length)).toEqual(losses.map((perRank) => perRank.length));
      report.losses.forEach((record, step) => {
        record.perRank.forEach((loss, rank) => {
          const printed = at(at(losses, step), rank);
          expect(Math.abs(loss - printed), `step ${step}, rank ${rank}`).toBeLessThanOrEqual(
            BAR * Math.max(1, printed),
          );
        });
      });
    });
  },
);
