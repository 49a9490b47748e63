/** Reads inputs, statistics and outputs of a BatchNorm and of a SyncBatchNorm from two runs, for `norm-statistics`. */
import { must } from '../../base/invariant';
import type { Normed, NormedRank } from '../drawing/kinds/norm-statistics';
import type { Recorded } from './record-run';

/** Names of input, statistics and output of the net's second layer in the step. */
const NAMES = { input: '0.out', mean: '1.mean', invstd: '1.invstd', output: '1.out' };
const DIGITS = 4;

/** The runs are named by the value of the knob: `0` and `1`. */
export const normed = (runs: ReadonlyMap<string, Recorded>): readonly Normed[] =>
  [...runs].map(([sync, { facts }]) => {
    const { events } = must(facts.trace, 'a traced step');
    const { ranks: count, config } = must(facts.info, 'a run');
    const norm = must(config.model.layers[1], 'a second layer');
    const channels = 'features' in norm ? norm.features : 1;
    const written = (device: number, name: string): Float32Array => {
      const found = events.flatMap((event) => (event.device === device ? event.captured : []));
      return must(found.find(({ buffer, offset }) => buffer === name && offset === 0)?.values, name);
    };
    const ranks = Array.from({ length: count }, (_, device): readonly NormedRank[] => {
      const [input, mean, invstd, output] = [NAMES.input, NAMES.mean, NAMES.invstd, NAMES.output].map((name) =>
        written(device, name),
      );
      return Array.from({ length: channels }, (__, channel) => {
        const column = (values: Float32Array | undefined): readonly number[] =>
          [...must(values, 'captured values')]
            .filter((___, index) => index % channels === channel)
            .map((value) => Number(value.toFixed(DIGITS)));
        return {
          input: column(input),
          output: column(output),
          mean: must(mean?.[channel], 'a mean'),
          deviation: 1 / must(invstd?.[channel], 'a deviation'),
        };
      });
    });
    return { sync, ranks };
  });
