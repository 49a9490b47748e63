/** What a mode compiles from: the configuration with the shapes that the data gives. Called by all of this room. */
import type { OpTable } from '../graph/op';
import type { Config } from '../protocol/config';
import type { DType, Shape } from '../tensor/shape';

export interface ModeInput {
  readonly config: Config;
  readonly ops: OpTable;
  /** Shapes of one row. */
  readonly inputShape: Shape;
  /** i32: token ids. */
  readonly inputType: DType;
  readonly targetShape: Shape;
  readonly targetType: DType;
}
