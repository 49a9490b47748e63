/**
 * The border where an unknown object becomes a Config: every complaint names the key, what was found and what is
 * allowed.
 */
import * as v from 'valibot';
import { LockstepError } from '../base/errors';
import { lookup } from '../base/lookup';
import { refusedSettings } from '../base/refused-settings';
import { rankDevices } from '../launch/rank-devices';
import { checkOptimizer } from '../optim/check-optimizer';
import { PARALLEL_MODES } from '../parallel/modes';
import { type Config, configSchema, LIMITS } from '../protocol/config';
import { checkNesting } from './check-nesting';
import { configComplaints, settingNames } from './config-issue';

export function parseConfig(input: unknown): Config {
  checkNesting(input);
  // A list is an object to the schema, and one without entries would pass as a configuration of defaults.
  const result = v.safeParse(configSchema, Array.isArray(input) ? 'a list' : input);
  if (!result.success) {
    const issues = configComplaints(result.issues, settingNames(configSchema));
    throw new LockstepError(
      'config',
      `The configuration is not valid. ${issues.join(' ')}`,
      'Run `lockstep schema` to see every setting with its limits.',
      { issues },
    );
  }
  const config = settled(result.output, input);
  checkOptimizer(config);
  const mode = PARALLEL_MODES[config.mode];
  mode.check?.(config);
  if (!mode.face.oneDevice && config.nodes > config.worldSize) {
    const { nodes, worldSize } = config;
    throw refusedSettings({
      code: 'placement',
      settings: { nodes, worldSize },
      why: `${nodes - worldSize} ${nodes - worldSize === 1 ? 'node' : 'nodes'} would have no device`,
      hint: `Use at most ${worldSize} ${worldSize === 1 ? 'node' : 'nodes'}, or more devices.`,
    });
  }
  rankDevices(config);
  return config;
}

/**
 * A mesh that is sized by its axes says how many devices there are, and in a configuration that names no mode, that it
 * is a pipeline.
 */
function settled(config: Config, input: unknown): Config {
  const { pp, dp } = config.mesh;
  if (pp === undefined) return config;
  const given = (input ?? {}) as Readonly<Record<string, unknown>>;
  const mode = lookup(given, 'mode') === undefined ? ('pipeline' as const) : config.mode;
  const { sections = [] } = PARALLEL_MODES[mode].face;
  if (!sections.includes('mesh')) return config;
  const devices = pp * dp;
  if (lookup(given, 'worldSize') !== undefined && config.worldSize !== devices)
    throw refusedSettings({
      settings: { worldSize: config.worldSize, 'mesh.pp': pp, 'mesh.dp': dp },
      why: `the mesh has ${pp} x ${dp} = ${devices} ranks`,
      hint: 'Leave worldSize or mesh.pp out, or make worldSize the product of the axes.',
    });
  if (devices > LIMITS.worldSize)
    throw refusedSettings({
      settings: { 'mesh.pp': pp, 'mesh.dp': dp },
      why: `the mesh has ${pp} x ${dp} = ${devices} ranks, and a world has at most ${LIMITS.worldSize}`,
      hint: 'Make one of the axes smaller.',
    });
  return { ...config, mode, worldSize: devices };
}

/** The single-device reference of a configuration. */
export const referenceConfig = (config: Config): Config => ({ ...config, mode: 'single', worldSize: 1 });
