/** Names of tf.distribute's strategies that are counterparts of modes. */
export type StrategyName =
  | 'OneDeviceStrategy'
  | 'MirroredStrategy'
  | 'MultiWorkerMirroredStrategy'
  | 'ParameterServerStrategy';

/** A mode's counterpart under tf.distribute. */
export interface StrategyOfRun {
  readonly strategy: StrategyName;
  /** Rows per step: of all replicas together, or of one worker of a parameter server. */
  readonly batchSize: number;
  /** Batch norm takes its statistics over all replicas. */
  readonly synchronizedNorms?: boolean;
  /** Sentences about what the mode has and the strategy lacks. */
  readonly notes?: readonly string[];
}
