/** The input of a mode's compiler: the configuration, and the shapes of the data. Used by all files of this room. */
import type { OpTable } from '../graph/op';
import type { Config } from '../protocol/config';
import type { DType, Shape } from '../tensor/shape';

export interface ModeInput {
  readonly config: Config;
  readonly ops: OpTable;
  /** Shape of one row. */
  readonly inputShape: Shape;
  /** i32 for token ids. */
  readonly inputType: DType;
  readonly targetShape: Shape;
  readonly targetType: DType;
}
