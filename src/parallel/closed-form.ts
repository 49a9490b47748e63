/**
 * The parts of the modes' closed forms: the sizes of a run, one pass of a step, and the sum over the micro-batches of a
 * Program. Each mode has its own form in `<mode>/closed-form.ts`. Called by run-facts.ts.
 */
import type { ClosedForm, LayerForm } from '../protocol/closed-form';
import type { Config } from '../protocol/config';
import { batchNorms } from '../protocol/config/layer-kinds';
import type { BucketsInfo } from '../protocol/session-info';
import type { HookPhase, MicroBatchKind } from '../protocol/step-kind';
import type { DType } from '../tensor/shape';
import type { ModeInput } from './mode-input';

/**
 * Sizes of the tensors that a mode sends between devices, from the graph of the model. A row is a sample of the batch.
 */
export interface TransferSizes {
  readonly parameterBytes: number;
  /** Gradients of the parameters that backward reaches. */
  readonly gradientBytes: number;
  /** Running statistics. */
  readonly bufferBytes: number;
  readonly inputRowBytes: number;
  /** The outputs of the model; their gradients have the same size. */
  readonly outputRowBytes: number;
  /** Activations of a row at the border after each device but the last; their gradients have the same size. */
  readonly borderRowBytes: readonly number[];
}

export interface RunSizes {
  readonly config: Config;
  readonly devices: number;
  /** A parameter without a type is float32. */
  readonly parameters: readonly { readonly shape: readonly number[]; readonly dtype?: DType }[];
  readonly transfers: TransferSizes;
  readonly buckets: BucketsInfo | undefined;
  /** Shapes of the data, for a mode that computes its closed form from graphs. */
  readonly input?: ModeInput;
}

/** The passes of one micro-batch. */
export interface FormPass extends Pick<MicroBatchKind, 'gradients' | 'reduces' | 'beforeRebuild'> {
  /** Rows of the micro-batch on each device. */
  readonly rows: readonly number[];
  /** The optimiser steps after this micro-batch. */
  readonly steps: boolean;
  readonly hookPhase: HookPhase;
  /** Number of micro-batches in the batch; absent: the number in the settings. */
  readonly microBatches?: number;
}

export const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

export const closedForm = (
  perDevice: readonly number[],
  text: string,
  more: Partial<Pick<ClosedForm, 'exact' | 'speaksOf' | 'layers'>> = {},
): ClosedForm => ({ perDevice, total: sum(perDevice), exact: true, text, speaksOf: 'everything', ...more });

/**
 * Sums the forms of the micro-batches of a Program. The text is that of the micro-batch that sends most, followed by
 * how many send; if they are pieces of one batch (`ofOneBatch`), the text says that already.
 */
export function together(forms: readonly [ClosedForm, ...ClosedForm[]], ofOneBatch = false): ClosedForm {
  const [first, ...others] = forms;
  const most = forms.reduce((a, b) => (b.total > a.total ? b : a), first);
  const sending = forms.filter(({ total }) => total > 0).length;
  const perDevice = first.perDevice.map((bytes, d) => bytes + sum(others.map((form) => form.perDevice[d] ?? 0)));
  const text = sending > 1 && !ofOneBatch ? `${most.text}; ${sending} times` : most.text;
  const layers = layersTogether(forms);
  const exact = forms.every((form) => form.exact);
  return closedForm(perDevice, text, { exact, speaksOf: first.speaksOf, ...(layers ? { layers } : {}) });
}

function layersTogether(forms: readonly ClosedForm[]): readonly LayerForm[] | undefined {
  const found = new Map<string, LayerForm>();
  for (const layer of forms.flatMap(({ layers = [] }) => layers)) {
    const before = found.get(layer.module);
    found.set(layer.module, before ? { ...before, bytes: before.bytes + layer.bytes } : layer);
  }
  return found.size === 0 ? undefined : [...found.values()];
}

/** 'P', or 'P + B' if the model has running statistics, and the meaning of the letters. */
export function stateText({ parameterBytes, gradientBytes, bufferBytes }: TransferSizes) {
  const buffers = bufferBytes > 0;
  const sizes = [
    `P = ${parameterBytes} B of parameters`,
    ...(gradientBytes === parameterBytes ? [] : [`G = ${gradientBytes} B of gradients`]),
    ...(buffers ? [`B = ${bufferBytes} B of running statistics`] : []),
  ];
  return {
    state: buffers ? '(P + B)' : 'P',
    gradients: gradientBytes === parameterBytes ? 'P' : 'G',
    sizes: sizes.join(', '),
  };
}

/** A clause that names the messages that a form leaves out; '' if the form counts everything. */
export const uncounted = ({ ddp, model }: Pick<Config, 'ddp' | 'model'>): string =>
  ddp.syncBatchNorm && batchNorms(model.layers) > 0 ? '; not counted: the sums of SyncBatchNorm' : '';

/** Bytes of that many rows at a border, in whole words: in half precision two halves share a word. */
export const borderBytes = (rowBytes: number, rows: number): number => 4 * Math.ceil((rowBytes * rows) / 4);

/** The bytes at each border as text; one number if all borders have the same bytes. */
export function bordersText(bytes: readonly number[]): string {
  if (bytes.length > 1 && bytes.every((b) => b === bytes[0]))
    return `${bytes[0]} B each way at each of ${bytes.length} borders`;
  return `${bytes.map((b) => `${b} B`).join(', ')} each way`;
}
