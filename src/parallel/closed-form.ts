/**
 * What the modes' closed forms are made of: the sizes of a run, one pass of a step, and the sum over the micro-batches
 * of a Program. Each mode has its own form in `<mode>/closed-form.ts`. Called by describe.ts.
 */
import type { ClosedForm, LayerForm } from '../protocol/closed-form';
import type { Config } from '../protocol/config';
import { batchNorms } from '../protocol/config/layer-kinds';
import type { BucketsInfo } from '../protocol/session-info';
import type { HookPhase, MicroBatchKind } from '../protocol/step-kind';
import type { DType } from '../tensor/shape';
import type { ModeInput } from './mode-input';

/** Sizes of what a mode sends between devices, from the graph of the model. A row is a sample of the batch. */
export interface TransferSizes {
  readonly parameterBytes: number;
  /** Of the parameters that backward reaches. */
  readonly gradientBytes: number;
  /** Running statistics. */
  readonly bufferBytes: number;
  readonly inputRowBytes: number;
  /** The outputs of the model, and as much for their gradients. */
  readonly outputRowBytes: number;
  /** Activations of a row at the border behind each device but the last, and as much for their gradients. */
  readonly borderRowBytes: readonly number[];
}

export interface RunSizes {
  readonly config: Config;
  readonly devices: number;
  /** A parameter without a type is float32. */
  readonly parameters: readonly { readonly shape: readonly number[]; readonly dtype?: DType }[];
  readonly transfers: TransferSizes;
  readonly buckets: BucketsInfo | undefined;
  /** Shapes of the data, for a mode that reads its form off graphs. */
  readonly input?: ModeInput;
}

/** A micro-batch. */
export interface FormPass extends Pick<MicroBatchKind, 'gradients' | 'reduces' | 'beforeRebuild'> {
  /** On each device. */
  readonly rows: readonly number[];
  /** The optimiser steps after it. */
  readonly steps: boolean;
  readonly hookPhase: HookPhase;
  /** Of the batch that it is one of; absent: as many as the settings say. */
  readonly microBatches?: number;
}

export const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

export const closedForm = (
  perDevice: readonly number[],
  text: string,
  more: Partial<Pick<ClosedForm, 'exact' | 'speaksOf' | 'layers'>> = {},
): ClosedForm => ({ perDevice, total: sum(perDevice), exact: true, text, speaksOf: 'everything', ...more });

/**
 * Of the micro-batches of a Program, in their order. Its text is that of the one that sends most, and how many send;
 * of pieces of one batch the text says so itself.
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

/** 'P + B' where there are running statistics, and what the letters stand for. */
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

/** A clause for the text of a form, which names what the form leaves out; '' where it counts everything. */
export const uncounted = ({ ddp, model }: Pick<Config, 'ddp' | 'model'>): string =>
  ddp.syncBatchNorm && batchNorms(model.layers) > 0 ? '; not counted: the sums of SyncBatchNorm' : '';

/** What crosses a border with that many rows: whole words, of two halves each in half precision. */
export const borderBytes = (rowBytes: number, rows: number): number => 4 * Math.ceil((rowBytes * rows) / 4);

/** What crosses each border, in words: once where all borders are alike. */
export function bordersText(bytes: readonly number[]): string {
  if (bytes.length > 1 && bytes.every((b) => b === bytes[0]))
    return `${bytes[0]} B each way at each of ${bytes.length} borders`;
  return `${bytes.map((b) => `${b} B`).join(', ')} each way`;
}
