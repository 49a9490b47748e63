/** The listing of a configuration, as a run of the configuration shows it. Called by the tests of listings. */
import * as v from 'valibot';
import { PARALLEL_MODES, PROGRAM_OPS } from '../../../parallel/modes';
import { type Config, type ConfigInput, configSchema } from '../../../protocol/config';

/** As a blueprint hands the configuration on. A mode that cuts its batches by itself takes no `accumulate`. */
export function listing({ accumulate, ...input }: ConfigInput) {
  const parsed = v.parse(configSchema, { worldSize: 2, ...input });
  const mode = PARALLEL_MODES[parsed.mode];
  const { batches, compiler } = mode.facets(parsed);
  const cuts = batches.pieces !== undefined;
  const open =
    cuts || accumulate === undefined ? parsed : v.parse(configSchema, { worldSize: 2, ...input, accumulate });
  const config = compiler.settle?.(inputOf(open)) ?? open;
  return { config, code: mode.listing.get()(config) };
}

export function inputOf(config: Config) {
  const [first] = config.model.layers;
  return {
    config,
    ops: PROGRAM_OPS,
    inputShape: [first?.type === 'Linear' ? first.in : 2],
    inputType: 'f32' as const,
    targetShape: [1],
    targetType: 'f32' as const,
  };
}

export const textOf = (input: ConfigInput): string =>
  listing(input)
    .code.map((l) => l.text)
    .join('\n');
