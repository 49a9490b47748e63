/** What starts the processes of a strategy, as comments, and what makes the strategy. Called by script.ts. */
import type { Config } from '../../protocol/config';
import type { StrategyName } from '../../protocol/strategy';

export interface TensorflowCluster {
  /** Comments: the commands. */
  readonly start: readonly string[];
  /** Statements that make `strategy`. */
  readonly lines: readonly string[];
}

export function cluster(config: Config, strategy: StrategyName): TensorflowCluster {
  const { worldSize, nodes } = config;
  const start = ['python train.py'];
  switch (strategy) {
    case 'OneDeviceStrategy':
      return {
        start,
        lines: ["strategy = tf.distribute.OneDeviceStrategy('/gpu:0')  # one device would need none"],
      };
    case 'MirroredStrategy': {
      const devices = Array.from({ length: worldSize }, (_, i) => `'/gpu:${i}'`).join(', ');
      return {
        start,
        lines: [
          '# one process, a replica on each device; a step all-reduces the gradients',
          `strategy = tf.distribute.MirroredStrategy([${devices}])`,
        ],
      };
    }
    case 'MultiWorkerMirroredStrategy':
      return {
        start: [
          `on node k of ${nodes}, which drives its ${Math.ceil(worldSize / nodes)} GPUs from one process:`,
          `TF_CONFIG='{"cluster": {"worker": [${hosts('node', nodes)}]}, "task": {"type": "worker", "index": k}}' python train.py`,
        ],
        lines: [
          '# reads TF_CONFIG, waits for the other nodes, and takes all GPUs of its own',
          'strategy = tf.distribute.MultiWorkerMirroredStrategy()',
        ],
      };
    case 'ParameterServerStrategy':
      return {
        start: [
          `${worldSize + 1} processes: "chief" tells the others what to do, "ps" holds the variables, each "worker" has a GPU`,
          `TF_CONFIG='{"cluster": {"chief": ["chief:2222"], "ps": ["ps:2222"], "worker": [${hosts('worker', worldSize - 1)}]},`,
          `            "task": {"type": "worker", "index": k}}' python train.py`,
        ],
        lines: [
          'resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()',
          "if resolver.task_type != 'chief':  # a server or a worker: join() never returns",
          '    server = tf.distribute.Server(resolver.cluster_spec(), resolver.task_type, resolver.task_id)',
          '    server.join()',
          'strategy = tf.distribute.ParameterServerStrategy(resolver)',
          'coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)',
        ],
      };
  }
}

const hosts = (name: string, count: number): string =>
  Array.from({ length: count }, (_, i) => `"${name}${i}:2222"`).join(', ');
