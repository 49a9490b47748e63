/**
 * How the ranks are started, as PyTorch users know it: a torchrun, srun or mp.spawn line that sets devices and nodes,
 * and the environment that the launcher sets for each process. Loaded when it is opened.
 */

import { LockstepError } from '../../base/errors';
import { launchSettings } from '../../launch/launch-settings';
import { parseLaunchLine } from '../../launch/parse-launch-line';
import { FACES } from '../../parallel/faces';
import type { Config, ConfigInput } from '../../protocol/config';
import type { RankEnvironment } from '../../protocol/process-group';
import { RUN } from '../../protocol/words/run';
import { withMode, withSetting } from '../edit/edit-config';
import { ColumnHeads } from '../fields/column-heads';
import { CommitField } from '../fields/commit-field';
import { problemSentence } from '../fields/problem-sentence';
import { ScrollRegion } from '../fields/scroll-region';
import { ListSetting, NumberSetting } from '../fields/settings';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';
import styles from './launch-panel.module.css';

/** The line that starts this run. */
function lineOf({ worldSize, nodes, maxRestarts, visibleDevices }: Config): string {
  const perNode = Math.ceil(worldSize / nodes);
  const visible = visibleDevices ? `CUDA_VISIBLE_DEVICES=${visibleDevices.join(',')} ` : '';
  return `${visible}torchrun --nnodes=${nodes} --nproc_per_node=${perNode} --max-restarts=${maxRestarts} train.py`;
}

export function LaunchPanel() {
  const config = useApp((app) => app.config);
  const environment = useApp((app) => app.info?.environment);
  const adapters = useApp((app) => app.info?.device.adapters);
  const controller = useController();
  const commit = (text: string): string | undefined => {
    try {
      const edited = withLaunch(config, launchSettings(parseLaunchLine(text)));
      if (!edited.ok) return problemSentence(edited.problem);
      controller.apply(edited.config);
      return undefined;
    } catch (error) {
      if (error instanceof LockstepError) return `${error.message} ${error.hint}`.trim();
      throw error;
    }
  };
  return (
    <div className={styles['launch']}>
      <CommitField
        label="Line"
        text={lineOf(config)}
        commit={commit}
        numeric={false}
        title="A torchrun or srun line, or mp.spawn(fn, nprocs=4): it sets ranks, nodes, devices and restarts"
      />
      <NumberSetting {...RUN.nodes} />
      <ListSetting {...RUN.visibleDevices} absent="all alike" example="2, 0" />
      <ListSetting {...RUN.adapters} absent="all alike" example="software, cpu" />
      {environment && <Nodes environment={environment} />}
      {environment && <Variables environment={environment} />}
      {adapters && (
        <ol className={styles['adapters']} aria-label="Adapters of the devices">
          {adapters.map(({ adapter, kind }, device) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is the device's number.
            <li key={device}>
              cuda:{device} {kind === 'cpu' ? 'CPU' : adapter || 'WebGPU'}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** A launch line starts processes, so the mode becomes one with one process per device. */
function withLaunch(config: Config, { worldSize, nodes, maxRestarts, visibleDevices }: ConfigInput) {
  const modes = FACES[config.mode].launchable ? config : withMode(config, 'ddp');
  const { visibleDevices: _, ...rest } = modes;
  const next: Config = {
    ...rest,
    nodes: nodes ?? 1,
    maxRestarts: maxRestarts ?? modes.maxRestarts,
    ...(visibleDevices ? { visibleDevices: [...visibleDevices] } : {}),
  };
  return withSetting(next, ['worldSize'], worldSize);
}

function Nodes({ environment }: { environment: readonly RankEnvironment[] }) {
  const nodes = [...new Set(environment.map((one) => one.GROUP_RANK))];
  return (
    <div className={styles['nodes']} aria-hidden>
      {nodes.map((node) => (
        <div key={node} className={styles['node']}>
          <span>node {node}</span>
          <div>
            {environment
              .filter((one) => one.GROUP_RANK === node)
              .map((one) => (
                <b key={one.RANK} data-rank={one.RANK % 8} title={`rank ${one.RANK}, local rank ${one.LOCAL_RANK}`}>
                  {one.RANK}
                </b>
              ))}
          </div>
        </div>
      ))}
    </div>
  );
}

const COLUMNS = ['RANK', 'LOCAL_RANK', 'GROUP_RANK', 'WORLD_SIZE', 'LOCAL_WORLD_SIZE'] as const;

function Variables({ environment }: { environment: readonly RankEnvironment[] }) {
  const [first] = environment;
  return (
    <>
      <ScrollRegion label="Variables of each process, as they are set" className={styles['scroll']}>
        <table aria-label="Variables of each process">
          <ColumnHeads names={COLUMNS} />
          <tbody>
            {environment.map((one) => (
              <tr key={one.RANK}>
                {COLUMNS.map((name) => (
                  <td key={name}>{one[name]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {first && (
        <p className={styles['common']}>
          MASTER_ADDR={first.MASTER_ADDR} MASTER_PORT={first.MASTER_PORT}
          {first.CUDA_VISIBLE_DEVICES !== undefined && ` CUDA_VISIBLE_DEVICES=${first.CUDA_VISIBLE_DEVICES}`}
        </p>
      )}
    </>
  );
}
