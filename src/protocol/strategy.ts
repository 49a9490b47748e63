/** The strategies of tf.distribute that modes have a counterpart in, by their names. */
export type StrategyName =
  | 'OneDeviceStrategy'
  | 'MirroredStrategy'
  | 'MultiWorkerMirroredStrategy'
  | 'ParameterServerStrategy';

/** What a mode comes to under tf.distribute. */
export interface StrategyOfRun {
  readonly strategy: StrategyName;
  /** Rows of a step: of all replicas together, of a parameter server of one worker. */
  readonly batchSize: number;
  /** Batch norm takes its statistics over all replicas. */
  readonly synchronizedNorms?: boolean;
  /** What the mode has and the strategy has not; sentences. */
  readonly notes?: readonly string[];
}
