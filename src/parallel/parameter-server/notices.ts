/** Notices about the parameter server's settings that have no effect or a surprising one. Called by compiler.ts. */
import { chunkSizes } from '../../data/chunk-sizes';
import type { Notice } from '../../protocol/notice';
import type { NoticeInput } from '../facets/mode-checks';

export function serverNotices({ config, rows: [rows = 0] }: Pick<NoticeInput, 'config' | 'rows'>): readonly Notice[] {
  const { worldSize, parameterServer } = config;
  const notices: Notice[] = [];
  const say = (id: string, text: string, hint = '') => notices.push({ level: 'info', id, text, hint });
  if (worldSize === 1) {
    say(
      'server-alone',
      'One device: the server trains by itself, as a single device does.',
      'Use two devices or more.',
    );
    return notices;
  }
  const busy = chunkSizes(rows, worldSize - 1).length;
  if (busy < worldSize - 1)
    say(
      'idle-workers',
      `${rows} samples make ${busy} chunks: ${worldSize - 1 - busy} of ${worldSize - 1} workers stay idle.`,
    );
  if (parameterServer.synchronous && parameterServer.staleness !== 1)
    say(
      'no-effect-staleness',
      'parameterServer.staleness has no effect: synchronous workers always compute on the current parameters.',
      'Set parameterServer.synchronous to false.',
    );
  if (!parameterServer.synchronous)
    say(
      'asynchronous-differs',
      `Each step of the run is ${worldSize - 1} steps of the optimizer, one per worker, with gradients that are ${parameterServer.staleness} updates old. So the weights differ from the weights of a single device.`,
      'With synchronous workers the weights are the same as on a single device.',
    );
  return notices;
}
