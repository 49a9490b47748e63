/**
 * The cells of a lowered schedule other than computations, in torch's notation. SEND_F of stage s goes to stage s+1,
 * SEND_B to s-1; a RECV has the number of the receiving stage. UNSHARD, RESHARD and REDUCE_GRAD are FSDP's calls and
 * have no micro-batch.
 */
import type { ScheduleCell } from './cell';
import { printCell } from './cell-text';

export interface LoweredMessage {
  readonly stage: number;
  readonly message: 'SEND_F' | 'RECV_F' | 'SEND_B' | 'RECV_B';
  readonly microBatch: number;
}

/** Two messages that 1F1B's loop posts together, so that two neighbours that both send do not wait for each other. */
export interface PostedTogether {
  readonly together: readonly [LoweredMessage, LoweredMessage];
}

export interface ParameterCall {
  readonly stage: number;
  readonly call: 'UNSHARD' | 'RESHARD' | 'REDUCE_GRAD';
}

export type LoweredCell = ScheduleCell | LoweredMessage | PostedTogether | ParameterCall;

export const isMessage = (cell: LoweredCell): cell is LoweredMessage => 'message' in cell;
export const isTogether = (cell: LoweredCell): cell is PostedTogether => 'together' in cell;
export const isCall = (cell: LoweredCell): cell is ParameterCall => 'call' in cell;
export const isComputation = (cell: LoweredCell): cell is ScheduleCell => 'kind' in cell || 'pair' in cell;

const printMessage = ({ stage, message, microBatch }: LoweredMessage): string => `${stage}${message}${microBatch}`;

export function printLowered(cell: LoweredCell): string {
  if (isMessage(cell)) return printMessage(cell);
  if (isTogether(cell)) return `(${cell.together.map(printMessage).join(';')})`;
  return isCall(cell) ? `${cell.stage}${cell.call}` : printCell(cell);
}

/**
 * Whether the text is a cell of printLowered other than a computation, in capital letters. Readers of schedules skip
 * it.
 */
export const isLoweredText = (text: string): boolean =>
  /^\d+(UNSHARD|RESHARD|REDUCE_GRAD)$/.test(text) ||
  /^\d+(SEND|RECV)_[FB]\d+$/.test(text) ||
  /^\(\d+(SEND|RECV)_[FB]\d+(;\d+(SEND|RECV)_[FB]\d+)*\)$/.test(text);
