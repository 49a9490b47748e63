/** The options of `lockstep import`: files, a step, and the changes to model. Read by usage.ts. */
import { brief } from '../base/brief';
import type { WhatIfChange } from '../recordings/what-if';
import { HELP, type OptionRow, textOf, usageError, type Values, wholeOf } from './option-values';

export const IMPORT_OPTIONS: readonly OptionRow[] = [
  { name: 'step', value: 'N', text: 'show ProfilerStep#N instead of the mean over all steps' },
  {
    name: 'what-if-bucket-mb',
    value: 'X',
    text: "model the recorded steps with DDP's bucket_cap_mb=X (needs record_shapes=True)",
  },
  {
    name: 'what-if-bandwidth',
    value: 'GB/s',
    text: 'model the recorded steps with this bus bandwidth of the all-reduces',
  },
  {
    name: 'what-if-latency',
    value: 'US',
    text: 'model the recorded steps with this latency per all-reduce, in microseconds',
  },
  { name: 'json', text: 'print the findings as JSON, without the spans' },
  HELP,
];

export interface ImportOptions {
  readonly files: readonly string[];
  readonly step: number | undefined;
  readonly change: WhatIfChange | undefined;
  readonly json: boolean;
}

export function importOptions(values: Values, files: readonly string[]): ImportOptions {
  if (files.length === 0) {
    throw usageError('import needs the files of a recording, or their folder: lockstep import traces/');
  }
  const positive = (name: string, least: number): number | undefined => {
    const text = textOf(values, name);
    if (text === undefined) return undefined;
    const value = text.trim() === '' ? Number.NaN : Number(text);
    const isRight = Number.isFinite(value) && (least === 0 ? value >= 0 : value > 0);
    if (!isRight)
      throw usageError(`--${name} must be a number ${least === 0 ? 'from' : 'above'} 0, not "${brief(text)}"`);
    return value;
  };
  const bucketCapMb = positive('what-if-bucket-mb', 1);
  const busBandwidth = positive('what-if-bandwidth', 1);
  const latencyUs = positive('what-if-latency', 0);
  const change = {
    ...(bucketCapMb === undefined ? {} : { bucketCapMb }),
    ...(busBandwidth === undefined ? {} : { busBandwidth }),
    ...(latencyUs === undefined ? {} : { latencyUs }),
  };
  return {
    files,
    step: wholeOf(values, 'step', 0, 999_999_999),
    change: Object.keys(change).length === 0 ? undefined : change,
    json: values['json'] === true,
  };
}
