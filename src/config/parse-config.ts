/**
 * Parses an unknown object into a Config: every complaint names the key, the value that was found, and the allowed
 * values.
 */
import * as v from 'valibot';
import { LockstepError } from '../base/errors';
import { lookup } from '../base/lookup';
import { refusedSettings } from '../base/refused-settings';
import { rankDevices } from '../launch/rank-devices';
import { checkOptimizer } from '../optim/check-optimizer';
import { PARALLEL_MODES } from '../parallel/modes';
import { type Config, configSchema, LIMITS } from '../protocol/config';
import { autocastIn, policyHalf } from '../protocol/half-of';
import { AXES } from '../protocol/mesh';
import { meshSizes, openAxis, ranksOf, shapeOf } from '../protocol/mesh-sizes';
import { checkNesting } from './check-nesting';
import { checkPrecision } from './check-precision';
import { configComplaints, settingNames } from './config-issue';

export function parseConfig(input: unknown): Config {
  checkNesting(input);
  const result = v.safeParse(configSchema, input);
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
  checkAxes(config);
  mode.check?.(config);
  checkPrecision(config);
  if (!mode.face.oneDevice && config.nodes > config.worldSize) {
    const { nodes, worldSize } = config;
    throw refusedSettings({
      code: 'placement',
      settings: { nodes, worldSize },
      why: `${nodes - worldSize} ${nodes - worldSize === 1 ? 'node' : 'nodes'} would have no device`,
      hint: `Use at most ${worldSize} ${worldSize === 1 ? 'node' : 'nodes'}, or more devices.`,
    });
  }
  checkWorkers(config, mode.mesh(config).worldSize);
  rankDevices(config);
  return config;
}

/** Refuses sizes of axes that the mesh of the mode does not have. */
function checkAxes(config: Config): void {
  const { axes = [], sections = [] } = PARALLEL_MODES[config.mode].face;
  if (!sections.includes('mesh')) return;
  const shape = meshSizes(config);
  for (const axis of AXES) {
    if (shape[axis] === 1 || axes.includes(axis)) continue;
    throw refusedSettings({
      settings: { mode: config.mode, [`mesh.${axis}`]: shape[axis] },
      why: `the mesh of this mode has the axes ${axes.map((own) => `mesh.${own}`).join(', ')}`,
      hint: `Leave mesh.${axis} out, or choose a mode that has this axis.`,
    });
  }
}

function checkWorkers({ placement, worldSize }: Config, processes: number): void {
  if (placement !== 'workers' || processes <= LIMITS.workers) return;
  throw refusedSettings({
    code: 'placement',
    settings: { placement, worldSize },
    why: `at most ${LIMITS.workers} ranks can have a worker each, and this run has ${processes}`,
    hint: 'Set placement to "shared", where all ranks run in one thread, or use fewer ranks.',
  });
}

/**
 * If the configuration gives sizes of axes, their product is the number of devices. If it names no mode, pp implies
 * mode pipeline, else dpShard mode sharded, else tp mode tensor. In mode ddp both worldSize and dpReplicate count the
 * replicas; if both are given, worldSize decides.
 */
function settled(parsed: Config, input: unknown): Config {
  const config = withoutIdleAxis(parsed);
  const given = (input ?? {}) as Readonly<Record<string, unknown>>;
  const sizes = (lookup(given, 'mesh') ?? {}) as Readonly<Record<string, unknown>>;
  const [dp, dpReplicate] = [lookup(sizes, 'dp'), lookup(sizes, 'dpReplicate')];
  // A size of 1 may come from defaults that the command line has filled in, so it contradicts nothing.
  if (dp !== undefined && (dpReplicate ?? 1) !== 1 && dp !== dpReplicate)
    throw refusedSettings({
      settings: { 'mesh.dp': dp, 'mesh.dpReplicate': dpReplicate },
      why: 'mesh.dp is the earlier name of mesh.dpReplicate',
      hint: 'Leave mesh.dp out.',
    });
  const mode = lookup(given, 'mode') === undefined ? modeOfMesh(config) : config.mode;
  const { axes = [], sections = [] } = PARALLEL_MODES[mode].face;
  const open = openAxis(mode);
  // The axis whose size decides the number of ranks: the open axis, or the only axis of the mode.
  const sized = axes.includes(open) ? open : axes[0];
  const size = sized && lookup(sizes, sized);
  if (sized === undefined || size === undefined || (size === 1 && sized !== open)) return config;
  const saysWorld = lookup(given, 'worldSize') !== undefined;
  if (saysWorld && !sections.includes('mesh')) return config;
  const shape = sections.includes('mesh') ? meshSizes({ ...config, mode }) : shapeOf({ [sized]: config.mesh[sized] });
  const devices = ranksOf(shape);
  // The name that the user has written.
  const nameOf = (axis: (typeof axes)[number]) => (axis === 'dpReplicate' && dp !== undefined ? 'dp' : axis);
  const named = axes.filter((axis) => shape[axis] > 1 || lookup(sizes, axis) !== undefined);
  const settings = Object.fromEntries(named.map((axis) => [`mesh.${nameOf(axis)}`, shape[axis]]));
  const factors = named.length > 1 ? `${named.map((axis) => shape[axis]).join(' x ')} = ` : '';
  const product = `${factors}${devices} ${devices === 1 ? 'rank' : 'ranks'}`;
  // Comes before the check of worldSize, because links with such a mesh set worldSize to its limit.
  if (devices > LIMITS.worldSize)
    throw refusedSettings({
      settings,
      why: `the mesh has ${product}, and a world has at most ${LIMITS.worldSize}`,
      hint: 'Make one of the axes smaller.',
    });
  if (saysWorld && config.worldSize !== devices)
    throw refusedSettings({
      settings: { worldSize: config.worldSize, ...settings },
      why: `the mesh has ${product}`,
      hint: `Leave worldSize or mesh.${sized} out, or make worldSize the product of the axes.`,
    });
  return { ...config, mode, worldSize: devices };
}

/**
 * Removes a size of 1 for tp or dpShard unless the mode needs this axis: older configurations contain it, and it means
 * the same as leaving it out.
 */
function withoutIdleAxis(config: Config): Config {
  const open = openAxis(config.mode);
  const { tp, dpShard, ...mesh } = config.mesh;
  const keeps = (axis: 'tp' | 'dpShard', size: number | undefined) =>
    size === undefined || (size === 1 && open !== axis) ? {} : { [axis]: size };
  return { ...config, mesh: { ...mesh, ...keeps('dpShard', dpShard), ...keeps('tp', tp) } };
}

/** The mode that the given axes imply. */
function modeOfMesh({ mode, mesh }: Config): Config['mode'] {
  if (mesh.pp !== undefined) return 'pipeline';
  if (mesh.dpShard !== undefined && mesh.dpShard > 1) return 'sharded';
  return mesh.tp !== undefined && mesh.tp > 1 ? 'tensor' : mode;
}

/** The single-device reference of a configuration. */
export function referenceConfig(config: Config): Config {
  // A single device has no fully_shard, so the reference uses autocast to compute in the same type.
  const half = policyHalf(config);
  return { ...config, mode: 'single', worldSize: 1, precision: half ? autocastIn(half) : config.precision };
}
