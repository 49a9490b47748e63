/**
 * The training loop of the PyTorch script: epochs, batches, micro-batches, and the end after as many optimizer steps as
 * the run has. What a mode puts into it comes as LoopParts. Called by pytorch-script.ts.
 */
import type { Config } from '../protocol/config';
import type { CodeLine } from '../protocol/trace';
import { clipLines } from './pytorch-clip';
import { type EpochCount, noSyncLines } from './pytorch-ddp';

const line = (text: string, anchor = 'none'): CodeLine => ({ text, anchor });
const indented = (depth: number, code: readonly CodeLine[]): readonly CodeLine[] =>
  code.map(({ text, anchor }) => line(`${'    '.repeat(depth)}${text}`, anchor));

export interface LoopParts {
  /** Python expressions: the devices of x and y. */
  readonly inputs: string;
  readonly targets: string;
  /** DDP: before the batches of an epoch. */
  readonly epochStart?: readonly CodeLine[];
  /** What happens within model(x), and within backward. */
  readonly inForward?: readonly CodeLine[];
  readonly inBackward?: readonly CodeLine[];
  /** Model parallel: the forward pass has lines of its own. */
  readonly forwardAnchor?: string;
  /** In place of all that happens with a batch; gets the lines that move the schedule on. */
  readonly body?: (schedule: readonly CodeLine[]) => readonly CodeLine[];
  /** DDP: gradients are not reduced in micro-batches that no step follows, and rank 0 prints. */
  readonly ranks?: boolean;
  /** Within optimizer.step(). */
  readonly afterStep?: readonly CodeLine[];
  /** DDP: `with model.join():` around the batches. */
  readonly join?: string | undefined;
  /** DDP: ranks with other numbers of batches; absent: len(loader) says how many there are. */
  readonly epochs?: EpochCount | undefined;
}

/** Token models have a logit vector at every position; torch's losses take one per row. */
export const lossCall = ({ data }: Config): string =>
  data.type === 'sequence' || data.type === 'text'
    ? 'loss_fn(output.flatten(0, 1), y.flatten())'
    : 'loss_fn(output, y)';

/** Modules that the loop needs. */
export const loopImports = (config: Config, { epochs }: LoopParts): readonly string[] =>
  config.epochs === undefined && epochs === undefined ? ['import math'] : [];

export function trainingLoop(config: Config, parts: LoopParts, schedulerStep: readonly string[]): readonly CodeLine[] {
  const { accumulate, scheduler } = config;
  const resumes = config.resume !== undefined;
  const advance = schedulerStep.map((text) => line(text, text.startsWith('if') ? 'none' : 'scheduler'));
  const everyEpoch = scheduler?.every === 'epoch';
  const counter = accumulate > 1 ? 'batches' : 'step';
  // With a number of epochs nothing is counted but micro-batches.
  const endless = config.epochs === undefined;
  const total = accumulate > 1 ? `steps * ${accumulate}` : 'steps';
  const end = endless ? [line(`if ${counter} == ${total}:`), line('    break')] : [];
  const count = endless && accumulate === 1 ? [line('step += 1')] : [];
  const body = parts.body
    ? [...(accumulate > 1 ? [line('batches += 1')] : []), ...parts.body(everyEpoch ? [] : advance)]
    : batchLines(config, parts, everyEpoch ? [] : advance);
  // Around all epochs where their number is given, else around each.
  const joined = (own: boolean, code: readonly CodeLine[]): readonly CodeLine[] =>
    own && parts.join !== undefined ? [line(parts.join, 'join'), ...indented(1, code)] : code;
  const moved = (name: string, device: string): string => `${name}.to(${device}, non_blocking=True)`;
  const batches = [
    line(`for x, y in ${resumes ? 'rest if epoch == first else loader' : 'loader'}:`, 'load'),
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
      ? [line(`${counter} = ${resumes ? `int(meta['${accumulate > 1 ? 'micro_batch' : 'step'}'])` : '0'}`)]
      : []),
    ...joined(!endless, [
      line(
        `for epoch in range(${resumes ? 'first, ' : ''}${config.epochs ?? parts.epochs?.count ?? epochsFor(total)}):`,
      ),
      ...indented(1, [
        ...(parts.epochStart ?? []),
        ...(endless && restart !== undefined
          ? [line(`step = ${startOfEpoch(restart, resumes)}  # of the rank with most batches`)]
          : []),
        ...joined(endless, batches),
        ...(everyEpoch ? advance : []),
      ]),
    ]),
  ];
}

const startOfEpoch = (batches: number, resumes: boolean): string =>
  resumes ? `max(epoch * ${batches}, int(meta['step']))` : `epoch * ${batches}`;

const epochsFor = (total: string): string => `math.ceil(${total} / len(loader))`;

/** Forward, backward, step. */
function batchLines(config: Config, parts: LoopParts, advance: readonly CodeLine[]): readonly CodeLine[] {
  const { accumulate } = config;
  const toLoss = [
    line('output = model(x)', parts.forwardAnchor ?? 'forward'),
    ...(parts.inForward ?? []),
    line(`loss = ${lossCall(config)}`, 'loss'),
  ];
  const toGradients = [
    line(accumulate > 1 ? `(loss / ${accumulate}).backward()` : 'loss.backward()', 'backward'),
    ...(parts.inBackward ?? []),
  ];
  const toStep = [...clipLines(config), line('optimizer.step()', 'step'), ...(parts.afterStep ?? []), ...advance];
  const zeroGrad = line('optimizer.zero_grad()', 'zero_grad');
  const print = parts.ranks
    ? [line('if rank == 0:  # the loss of its own rows'), line('    print(loss.item())')]
    : [line('print(loss.item())')];
  if (accumulate === 1) return [zeroGrad, ...toLoss, ...toGradients, ...toStep, ...print];
  const due = `batches % ${accumulate} == 0`;
  return [
    line('batches += 1'),
    ...(parts.ranks === true ? noSyncLines(config, due, toLoss, toGradients) : [...toLoss, ...toGradients]),
    line(`if ${due}:`),
    ...indented(1, [...toStep, zeroGrad]),
    ...print,
  ];
}
