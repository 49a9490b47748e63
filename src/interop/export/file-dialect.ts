/**
 * How train.py writes devices, rows and losses: it uses the devices of the machine it runs on, `Batches` remembers the
 * rows of an epoch, and `run` records the losses (python/). Called by the modes' listings, through Dialect.
 */
import { type CodeLine, codeLine, codeLines } from '../pytorch/code-line';
import type { Dialect } from '../pytorch/dialect';
import { trainFile } from './train-file';

const ROWS_OF_PART = '[i if row_ids is None else row_ids[i] for i in part.indices]';

export const FILE: Dialect = {
  server: 'device',
  pinned: "device.type == 'cuda'",
  nth: (k) => `devices[${k}]`,
  list: (devices) => `[${devices.map((d) => `'cuda:${d}'`).join(', ')}]`,
  layer: (_, i) => `devices[${i}]`,
  dataParallel: (devices) =>
    `model = nn.DataParallel(model, device_ids=[${devices}]) if device.type == 'cuda' else model`,
  deviceIds: "device_ids=[device] if device.type == 'cuda' else None",
  syncBuffers: 'broadcast_buffers',
  loader: ({ dataset, batchSize, sampler, shuffle, dropLast }) => [
    ...(sampler === undefined ? [`sampler = ${shuffle ? 'RandomSampler' : 'SequentialSampler'}(${dataset})`] : []),
    `batches = Batches(sampler, ${batchSize}${dropLast ? ', drop_last=True' : ''})`,
    'loader = DataLoader(',
    `    ${dataset}, batch_sampler=batches, num_workers=args.workers, pin_memory=device.type == 'cuda'`,
    ')',
    `run.resume_batches(batches, ${dataset === 'part' ? ROWS_OF_PART : 'row_ids'})`,
  ],
  loss: (expression): readonly CodeLine[] => [codeLine(`run.loss(${expression})`)],
  pipelineLoss: () => codeLines('if last:', '    run.loss(torch.stack(losses).double().mean())'),
  resumesStages: true,
  assemble: trainFile,
};
