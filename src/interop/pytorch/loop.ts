/**
 * The training loop of the PyTorch script: epochs, batches, micro-batches, and the end after the run's number of
 * optimizer steps. A mode supplies its parts as LoopParts. Called by script.ts.
 */
import type { Config } from '../../protocol/config';
import { clipLines } from './clip';
import { type CodeLine, codeLine as line } from './code-line';
import { type EpochCount, noSyncLines } from './ddp';
import {
  autocastLine,
  backwardLine,
  forwardCall,
  fromMasterLines,
  stepLines,
  toMasterLines,
  unscaleLines,
} from './precision';

export const indented = (depth: number, code: readonly CodeLine[]): readonly CodeLine[] =>
  code.map(({ text, anchor }) => line(`${'    '.repeat(depth)}${text}`, anchor));

export interface LoopParts {
  /** Python expressions: the devices of x and y. */
  readonly inputs: string;
  readonly targets: string;
  /** DDP: lines before the batches of an epoch. */
  readonly epochStart?: readonly CodeLine[];
  /** Of each micro-batch. */
  readonly beforeForward?: readonly CodeLine[];
  /** Comments about what happens within model(x), and within backward. */
  readonly inForward?: readonly CodeLine[];
  readonly inBackward?: readonly CodeLine[];
  /** Model parallel: the forward pass has its own lines. */
  readonly forwardAnchor?: string;
  /** Replaces everything that happens with a batch; gets the lines that advance the schedule. */
  readonly body?: (schedule: readonly CodeLine[]) => readonly CodeLine[];
  /** DDP: gradients are reduced only in micro-batches before a step. */
  readonly ranks?: boolean;
  /** Lines that print `loss`. */
  readonly log: readonly CodeLine[];
  /** A statement around the forward pass and the loss: `with ...:`. */
  readonly within?: string;
  /** A statement around the forward and the backward pass: `with ...:`. */
  readonly around?: string | undefined;
  /** Lines in place of clip_grad_norm_ and clip_grad_value_. */
  readonly clip?: readonly CodeLine[] | undefined;
  /** Lines after a step and its counter. */
  readonly behindStep?: readonly CodeLine[];
  /** Where training resumes, if it can. */
  readonly resumes?: Resumption;
  /** A Python expression in place of the number of epochs. */
  readonly epochsGiven?: string;
  /** Within optimizer.step(). */
  readonly afterStep?: readonly CodeLine[];
  /** DDP: `with model.join():` around the batches. */
  readonly join?: string | undefined;
  /** DDP: for ranks with different numbers of batches; absent: all have len(loader). */
  readonly epochs?: EpochCount | undefined;
}

/** Python expressions. */
interface Resumption {
  readonly step: string;
  readonly microBatch: string;
  readonly epoch: string;
  /** The iterable of batches. */
  readonly batches: string;
}

/** From the file of a checkpoint. */
export const FROM_FILE: Resumption = {
  step: "int(meta['step'])",
  microBatch: "int(meta['micro_batch'])",
  epoch: 'first',
  batches: 'rest if epoch == first else loader',
};

/** Token models have logits at every position; torch's losses take one vector per row. */
export const lossCall = ({ data }: Config): string =>
  data.type === 'sequence' || data.type === 'text'
    ? 'loss_fn(output.flatten(0, 1), y.flatten())'
    : 'loss_fn(output, y)';

/** Modules that the loop needs. */
export const loopImports = (config: Config, { epochs }: LoopParts): readonly string[] =>
  config.epochs === undefined && epochs === undefined ? ['import math'] : [];

export function trainingLoop(config: Config, parts: LoopParts, schedulerStep: readonly string[]): readonly CodeLine[] {
  const { accumulate, scheduler } = config;
  const { resumes } = parts;
  const advance = schedulerStep.map((text) => line(text, text.startsWith('if') ? 'none' : 'scheduler'));
  const everyEpoch = scheduler?.every === 'epoch';
  const counter = accumulate > 1 ? 'batches' : 'step';
  // With a number of epochs only micro-batches are counted.
  const endless = config.epochs === undefined;
  const total = accumulate > 1 ? `steps * ${accumulate}` : 'steps';
  const end = endless ? [line(`if ${counter} == ${total}:`), line('    break')] : [];
  const count = endless && accumulate === 1 ? [line('step += 1')] : [];
  const body = parts.body
    ? [
        ...(accumulate > 1 ? [line('batches += 1')] : []),
        ...parts.body(everyEpoch ? [] : advance),
        ...whenDue(config, parts.behindStep ?? []),
      ]
    : batchLines(config, parts, everyEpoch ? [] : advance);
  // Around all epochs if their number is given, otherwise around each epoch.
  const joined = (own: boolean, code: readonly CodeLine[]): readonly CodeLine[] =>
    own && parts.join !== undefined ? [line(parts.join, 'join'), ...indented(1, code)] : code;
  const moved = (name: string, device: string): string => `${name}.to(${device}, non_blocking=True)`;
  const batches = [
    line(`for x, y in ${resumes?.batches ?? 'loader'}:`, 'load'),
    ...indented(1, [
      line(`x, y = ${moved('x', parts.inputs)}, ${moved('y', parts.targets)}`, 'to_device'),
      ...body,
      ...count,
      ...end,
    ]),
  ];
  const restart = parts.epochs?.perEpoch;
  return [
    ...(accumulate > 1 || (endless && restart === undefined)
      ? [line(`${counter} = ${(accumulate > 1 ? resumes?.microBatch : resumes?.step) ?? '0'}`)]
      : []),
    ...joined(!endless, [
      line(
        `for epoch in range(${resumes ? `${resumes.epoch}, ` : ''}${config.epochs === undefined ? (parts.epochs?.count ?? epochsFor(total)) : (parts.epochsGiven ?? config.epochs)}):`,
      ),
      ...indented(1, [
        ...(parts.epochStart ?? []),
        ...(endless && restart !== undefined
          ? [line(`step = ${startOfEpoch(restart, resumes?.step)}  # of the rank with most batches`)]
          : []),
        ...joined(endless, batches),
        ...(everyEpoch ? advance : []),
      ]),
    ]),
  ];
}

const startOfEpoch = (batches: number, from: string | undefined): string =>
  from === undefined ? `epoch * ${batches}` : `max(epoch * ${batches}, ${from})`;

const epochsFor = (total: string): string => `math.ceil(${total} / len(loader))`;

const whenDue = ({ accumulate }: Config, code: readonly CodeLine[]): readonly CodeLine[] =>
  accumulate === 1 || code.length === 0 ? code : [line(`if batches % ${accumulate} == 0:`), ...indented(1, code)];

/** Forward, backward, step. */
function batchLines(config: Config, parts: LoopParts, advance: readonly CodeLine[]): readonly CodeLine[] {
  const { accumulate } = config;
  const forward = [
    ...(parts.beforeForward ?? []),
    line(`output = ${forwardCall(config)}`, parts.forwardAnchor ?? 'forward'),
    ...(parts.inForward ?? []),
    line(`loss = ${lossCall(config)}`, 'loss'),
  ];
  const within = autocastLine(config, parts.inputs) ?? parts.within;
  const toLoss = within === undefined ? forward : [line(within), ...indented(1, forward)];
  const toGradients = [backwardLine(config), ...(parts.inBackward ?? [])];
  const clip = [...toMasterLines(config), ...unscaleLines(config), ...(parts.clip ?? clipLines(config))];
  const stepped = [...stepLines(config), ...fromMasterLines(config), ...(parts.afterStep ?? [])];
  const toStep = [...clip, ...stepped, ...advance];
  const zeroGrad = line('optimizer.zero_grad()', 'zero_grad');
  const behindStep = parts.behindStep ?? [];
  const passes = (code: readonly CodeLine[]) =>
    parts.around === undefined ? code : [line(parts.around), ...indented(1, code)];
  if (accumulate === 1)
    return [zeroGrad, ...passes([...toLoss, ...toGradients]), ...toStep, ...parts.log, ...behindStep];
  const due = `batches % ${accumulate} == 0`;
  return [
    line('batches += 1'),
    ...passes(parts.ranks === true ? noSyncLines(config, due, toLoss, toGradients) : [...toLoss, ...toGradients]),
    line(`if ${due}:`),
    ...indented(1, [...toStep, ...behindStep, zeroGrad]),
    ...parts.log,
  ];
}
