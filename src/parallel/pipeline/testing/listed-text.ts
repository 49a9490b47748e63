/** The PyTorch script of a small pipeline as text, for the tests of the listing. */
import { parseConfig } from '../../../config/parse-config';
import type { ConfigInput } from '../../../protocol/config';
import { PROGRAM_OPS } from '../../modes';
import { pipeline } from '../mode';

const layers = Array.from({ length: 8 }, (_, i) => ({
  type: 'Linear' as const,
  in: i === 0 ? 2 : 8,
  out: i === 7 ? 1 : 8,
}));

function listing(input: ConfigInput) {
  const open = parseConfig({ mode: 'pipeline', mesh: { pp: 2 }, model: { layers }, dropLast: true, ...input });
  const config = pipeline.facets(open).compiler.settle?.({
    config: open,
    ops: PROGRAM_OPS,
    inputShape: [2],
    inputType: 'f32',
    targetShape: [1],
    targetType: 'f32',
  });
  return pipeline.listing.get()(config ?? open);
}

/** Eight linear layers in two stages, unless the input says otherwise. */
export const listedText = (input: ConfigInput): string =>
  listing(input)
    .map(({ text }) => text)
    .join('\n');
