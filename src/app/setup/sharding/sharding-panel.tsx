/**
 * The settings of a shard group: the stage of ZeRO, memory over the step, and the units that are gathered. Fetched when
 * a mode with shards is chosen.
 */
import { meshSizes, openAxis, shardsParameters } from '../../../protocol/mesh-sizes';
import type { ShardedUnitInfo, ShardingInfo } from '../../../protocol/session-info';
import { namesOf } from '../../../protocol/words/algorithms';
import { DDP_MAIN } from '../../../protocol/words/ddp-main';
import { SHARDED } from '../../../protocol/words/sharded';
import { formatSize } from '../../draw/format';
import fields from '../../fields/fields.module.css';
import { ChoiceSetting, FlagSetting, NumberSetting } from '../../fields/settings';
import { useController } from '../../run/use-controller';
import { useApp } from '../../state/use-app';
import { MemoryCurve } from './memory-curve';
import styles from './sharding.module.css';
import { StageSlider } from './stage-slider';

const ALGORITHM_WORDS = namesOf('short');

export function ShardingPanel() {
  const config = useApp((app) => app.config);
  const sharding = useApp((app) => app.info?.sharding);
  const { stage } = config.sharded;
  // With pipeline stages or divided layers, the mesh may have no shards.
  if (openAxis(config.mode) !== 'dpShard' && meshSizes(config).dpShard === 1) return null;
  // checkPolicy of parallel/sharded refuses CPU offload elsewhere.
  const canOffload = openAxis(config.mode) === 'dpShard' && meshSizes(config).tp === 1;
  return (
    <section className={styles['sharding']} aria-label="Sharding">
      {sharding && <StageSlider sharding={sharding} />}
      <MemoryCurve />
      {sharding && stage >= 2 && <Units sharding={sharding} />}
      {stage === 3 && <FlagSetting {...SHARDED.reshardAfterForward} />}
      {stage === 3 && openAxis(config.mode) !== 'pp' && <NumberSetting {...SHARDED.reshardTo} />}
      {stage >= 2 && <NumberSetting {...SHARDED.prefetch} />}
      {stage >= 2 && config.accumulate > 1 && <FlagSetting {...SHARDED.syncEveryPass} />}
      {stage >= 2 && canOffload && <FlagSetting {...SHARDED.cpuOffload} />}
      {shardsParameters(config) && <Policy />}
      <ChoiceSetting {...DDP_MAIN.algorithm} words={ALGORITHM_WORDS} />
    </section>
  );
}

const PARAM_WORDS = { float32: 'float32', bfloat16: 'bfloat16', float16: 'float16' } as const;
const REDUCE_WORDS = { param: 'the same type', ...PARAM_WORDS } as const;

/** The fields of a MixedPrecisionPolicy. */
function Policy() {
  const { paramDtype, castForwardInputs } = useApp((app) => app.config.sharded);
  return (
    <>
      <ChoiceSetting {...SHARDED.paramDtype} words={PARAM_WORDS} />
      <ChoiceSetting {...SHARDED.reduceDtype} words={REDUCE_WORDS} />
      {(paramDtype !== 'float32' || !castForwardInputs) && <FlagSetting {...SHARDED.castForwardInputs} />}
    </>
  );
}

function Units({ sharding: { units, layers, ranks } }: { readonly sharding: ShardingInfo }) {
  const config = useApp((app) => app.config);
  const controller = useController();
  const { modules: given, ...sharded } = config.sharded;
  // The chosen modules; if none are chosen, the units that the session reports.
  const own = given ?? units.map(({ path }) => path).filter((path) => path !== '');
  const apply = (next: readonly string[] | undefined) =>
    controller.apply({ ...config, sharded: next === undefined ? sharded : { ...sharded, modules: [...next] } });
  const root = units.find(({ path }) => path === '');
  return (
    <div className={styles['units']}>
      <p className={styles['head']}>
        <span title={SHARDED.modules.description}>{SHARDED.modules.title}: gathered and freed together</span>
        {given && (
          <button type="button" className={`${fields['button']} ${fields['small']}`} onClick={() => apply(undefined)}>
            made for the model
          </button>
        )}
      </p>
      <ul>
        {layers.map((path) => (
          <li key={path}>
            <label title={own.includes(path) ? 'A unit of its own' : 'A part of the root'}>
              <input
                type="checkbox"
                checked={own.includes(path)}
                onChange={(event) =>
                  apply(layers.filter((each) => (each === path ? event.target.checked : own.includes(each))))
                }
              />
              {path}
            </label>
            <UnitSize unit={units.find((unit) => unit.path === path)} ranks={ranks} />
          </li>
        ))}
        {root && (
          <li>
            <span>root: the rest</span>
            <UnitSize unit={root} ranks={ranks} />
          </li>
        )}
      </ul>
    </div>
  );
}

function UnitSize({ unit, ranks }: { readonly unit: ShardedUnitInfo | undefined; readonly ranks: number }) {
  if (!unit) return <span className={styles['padding']}>in the root</span>;
  const padding = unit.perRankBytes * ranks - unit.bytes;
  return (
    <span title={padding > 0 ? `${formatSize(padding)} of padding in all` : 'no padding'}>
      {formatSize(unit.bytes)}, {formatSize(unit.perRankBytes)} a rank
      {padding > 0 && <span className={styles['padding']}> padded</span>}
    </span>
  );
}
