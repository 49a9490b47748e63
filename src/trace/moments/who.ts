/**
 * Who takes part in a moment, in words that begin a clause: 'all four ranks', 'cuda:1', 'the server', 'workers 1 and
 * 2'. Devices have the names of the mode's users. Pure; called by the sentences.
 */
import { at } from '../../base/invariant';
import type { DeviceIndex, StepTrace } from '../../protocol/trace';
import { deviceCount } from '../lanes';
import { deviceName, hasRanks, hasServer } from '../words';
import type { Moment } from './moment';

export interface Who {
  readonly text: string;
  readonly many: boolean;
  /** Whether they are all devices that do such work in this step, even if only one does. */
  readonly all: boolean;
}

const NUMBERS = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

export const numberWord = (n: number): string => NUMBERS[n] ?? String(n);

/** Whether one process drives several devices, each with a replica of the model. */
export const isDataParallel = ({ events }: StepTrace): boolean => events.some(({ anchor }) => anchor === 'scatter');

/** Whether one process drives several devices, each with its own layers. */
export const isModelParallel = ({ events }: StepTrace): boolean =>
  events.some(
    ({ anchor, action }) => action === undefined && (anchor === 'send_activation' || anchor === 'send_gradient'),
  );

const nounOf = (trace: StepTrace): string => {
  if (hasServer(trace)) return 'worker';
  if (hasRanks(trace)) return 'rank';
  return isDataParallel(trace) ? 'replica' : 'device';
};

/** 'all four ranks', 'both ranks', 'ranks 1 and 3', 'rank 2'. */
export function whoAre(trace: StepTrace, devices: Iterable<DeviceIndex>): Who {
  const own = [...new Set(devices)].sort((a, b) => a - b);
  const able = deviceCount(trace) - (hasServer(trace) ? 1 : 0);
  const noun = nounOf(trace);
  if (own.length === 1) return { text: deviceName(trace, at(own, 0)), many: false, all: deviceCount(trace) === 1 };
  if (own.length === able && !(hasServer(trace) && own.includes(0))) {
    return {
      text: own.length === 2 ? `both ${noun}s` : `all ${numberWord(own.length)} ${noun}s`,
      many: true,
      all: true,
    };
  }
  if (own.length > 4)
    return { text: `${numberWord(own.length)} of ${numberWord(able)} ${noun}s`, many: true, all: false };
  const named = noun === 'device' || noun === 'replica';
  const names = own.map((device) => (named ? `cuda:${device}` : String(device)));
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return { text: named ? list : `${noun}s ${list}`, many: true, all: false };
}

export const whoIn = (trace: StepTrace, { events }: Moment): Who =>
  whoAre(
    trace,
    events.map((index) => at(trace.events, index).device),
  );

/** Like whoAre, for the partners of one device: 'all other ranks' if it is everyone else. */
export function othersOf(trace: StepTrace, devices: ReadonlySet<DeviceIndex>, one: ReadonlySet<DeviceIndex>): Who {
  const together = new Set([...devices, ...one]);
  const others = devices.size > 1 && one.size === 1 && together.size > devices.size;
  if (!others || hasServer(trace) || together.size < deviceCount(trace)) return whoAre(trace, devices);
  return { text: `all other ${nounOf(trace)}s`, many: true, all: false };
}

/** 'compute' or 'computes': the verb that fits. */
export const does = ({ many }: Who, verb: string): string => {
  if (many) return verb;
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(verb) ? `${verb}es` : `${verb}s`;
};
export const their = ({ many }: Who): string => (many ? 'their' : 'its');
