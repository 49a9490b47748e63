/**
 * The sentences of mixed precision: casts that are separate moments, and a GradScaler's work. undefined: another file
 * of this folder makes the moment's sentence. Called by moment-sentence.ts and sentence.ts.
 */
import { plural } from '../../base/plural';
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import { bufferWords, sentWords } from '../buffer-words';
import { layerMark } from './marks';
import { does, their, type Who } from './who';

/**
 * Whether an event only rounds, packs or unpacks tensors for an operator or a message; it belongs to the operator's
 * moment.
 */
export const isConversion = ({ name }: Pick<TraceEvent, 'name'>): boolean =>
  name.startsWith('precision/') || name === 'halves/copy';

export function precisionSentence(trace: StepTrace, e: TraceEvent, who: Who): string | undefined {
  switch (e.name) {
    case 'precision/cast':
      if (e.phase === 'backward' && e.module !== '')
        return `backward: ${who.text} ${does(who, 'cast')} the gradient of ${layerMark(e.module)} to ${castTo(e)}`;
      return `${e.phase}: ${who.text} ${does(who, 'cast')} the ${bufferWords(e.writes[0] ?? '').replace(/ in (\w+)$/, ' to $1')}`;
    case 'precision/round':
    case 'precision/pack':
      return `${e.phase}: ${who.text} ${does(who, 'round')} ${tensorWords(e)} to half precision`;
    case 'precision/unpack':
      return `${e.phase}: ${who.text} ${does(who, 'unpack')} ${tensorWords(e)} to compute in float32`;
    case 'halves/copy':
      if (e.phase === 'gather') return `gather: ${who.text} ${does(who, 'put')} the outputs of all replicas together`;
      return `${e.anchor}: ${who.text} ${does(who, 'pack')} the ${sentWords(e.writes[0] ?? '')} for the messages`;
    // With a bucket, the operator belongs to a communication hook.
    case 'halves/add':
      if (e.bucket !== undefined) return undefined;
      return `${e.anchor}: ${who.text} ${does(who, 'add')} what ${who.many ? 'they' : 'it'} received to ${their(who)} own ${summedWords(e)}, rounding after every addition`;
    case 'halves/decode':
      if (e.bucket !== undefined) return undefined;
      return `${e.anchor}: ${who.text} ${does(who, 'cast')} the ${sentWords(e.reads[0] ?? '')} to float32`;
    case 'scaler/scale-loss':
      return `scaler.scale(loss): ${who.text} ${does(who, 'multiply')} the loss by the scale${scaledTo(trace, e)}`;
    case 'scaler/unscale':
      return `scaler.unscale_(): ${who.text} ${does(who, 'divide')} ${their(who)} ${plural(unscaledOn(trace, e), 'gradient')} by the scale`;
    case 'scaler/update':
      return `scaler.update(): ${who.text} ${updated(trace, who)}`;
    default:
  }
  if (!isSkippedStep(trace, e)) return undefined;
  return `scaler.step(): ${who.text} ${does(who, 'skip')} optimizer.step(), because a gradient is inf or NaN`;
}

/** The tensor that is converted; the sentence says its type. Names of PyTorch have no article. */
function tensorWords({ writes: [name = ''] }: TraceEvent): string {
  const said = bufferWords(name).replace(/ in float32$/, '');
  return said.includes(' ') ? `the ${said}` : said;
}

/** The gradient from which backward starts; a trace without captured values does not have it. */
function scaledTo({ accumulate }: StepTrace, { captured }: TraceEvent): string {
  const begin = captured?.[0]?.values[0];
  if (begin === undefined) return '';
  const shared = accumulate > 1 ? `, the scale divided by ${accumulate} micro-batches` : '';
  return `: the gradient of the loss begins at ${floatDigits(begin)}${shared}`;
}

/** A float32 with as many digits as it is exact to: 21845.33, not 21845.333984375. */
export const floatDigits = (value: number): number => Number(value.toPrecision(7));

/** Gradients in half precision are unscaled one after the other. */
const unscaledOn = ({ events }: StepTrace, { name, device }: TraceEvent): number =>
  events.reduce((n, e) => (e.name === name && e.device === device ? n + e.writes.length - 1 : n), 0);

/** A reduce-scatter sums in separate memory. */
function summedWords({ writes }: TraceEvent): string {
  const said = sentWords(writes[0] ?? '');
  return said.startsWith('receive buffer') ? 'part of the sum' : said;
}

/** An optimiser's step that the GradScaler has skipped. */
export const isSkippedStep = ({ losses }: StepTrace, { phase, name }: TraceEvent): boolean =>
  losses.scaler?.skipped === true && phase === 'step' && /^(optim|scaler)\//.test(name) && !/norm|clip/.test(name);

/** The gradient of a cast tensor is cast back to the type before the cast. */
const castTo = ({ reads }: TraceEvent): string =>
  /\.b?f16\.grad$/.test(reads[0] ?? '') ? 'float32' : 'half precision';

/** The scale after the step; the trace of a micro-batch without a step has none. */
function updated({ losses }: StepTrace, who: Who): string {
  const { scaler } = losses;
  if (!scaler) return `${does(who, 'keep')} or ${does(who, 'change')} the scale`;
  const now = `the scale is now ${scaler.scale}`;
  return scaler.skipped
    ? `${does(who, 'lower')} the scale after the skipped step: ${now}`
    : `${does(who, 'count')} a step without inf and NaN: ${now}`;
}
