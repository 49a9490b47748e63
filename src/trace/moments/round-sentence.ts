/**
 * Sentences of moments with messages: for a round of a collective, its mode, its number, senders and receivers; for
 * other messages, their contents. Pure; called by moment-sentence.ts.
 */

import { at } from '../../base/invariant';
import { plural } from '../../base/plural';
import type { CollectiveRef, StepTrace, TraceEvent } from '../../protocol/trace';
import { sentWords } from '../buffer-words';
import { carriedWords, normWords, ofSyncBatchNorm } from '../carried';
import { groupSize } from '../group-size';
import { cutsLayers, gathersUnits } from '../tensor-parts';
import { deviceName, hasServer } from '../words';
import { acrossNodes, hierarchicalWords } from './hierarchical-words';
import { type Hops, hopsOf, isSwap } from './hops';
import { bucketMark, layerMark } from './marks';
import type { Moment, MomentRound } from './moment';
import { unitMark } from './sharded-sentence';
import { isModelParallel, numberWord, othersOf, whoAre } from './who';

export function roundSentence(trace: StepTrace, moment: Moment): string {
  const { round } = moment;
  const hops = hopsOf(trace, moment);
  if (!round) return messageSentence(trace, moment);
  if (round.whole) return wholeSentence(trace, moment, hops, round);
  switch (round.op) {
    case 'allReduce':
      return `${allReduceHead(trace, moment, round)}: ${asMax(round, allReduceWords(trace, moment, hops, round))}${besideWords(hops)}`;
    case 'broadcast':
      return broadcastSentence(trace, moment, hops);
    case 'scatter':
      return moment.phase === 'backward'
        ? `backward: ${deviceName(trace, from(hops))} sends ${oneOrEach(trace, hops)} the gradient of its outputs`
        : `scatter: ${deviceName(trace, from(hops))} sends ${oneOrEach(trace, hops)} its chunk of the batch`;
    case 'gather':
      return `gather: ${othersOf(trace, hops.from, hops.to).text} ${verb(hops.from)} ${hops.from.size > 1 ? 'their' : 'its'} outputs to ${deviceName(trace, to(hops))}`;
    case 'reduce':
      return `backward: ${othersOf(trace, hops.from, hops.to).text} ${verb(hops.from)} ${hops.from.size > 1 ? 'their' : 'its'} gradients to ${deviceName(trace, to(hops))}, which adds them to its own`;
    case 'allGather':
      if (gathersUnits(trace) && moment.phase === 'gather')
        return `${roundWords(round)}all-gather of ${unitMark(moment.module)}: ${gatherWords(trace, hops)}`;
      if (!ofSyncBatchNorm(at(hops.sends, 0)))
        return `${roundWords(round)}all-gather of ${piecesWords(at(hops.sends, 0))}: ${gatherWords(trace, hops)}`;
      return `${roundWords(round)}all-gather of SyncBatchNorm’s statistics in ${layerMark(moment.module)}: ${gatherWords(trace, hops)}`;
    case 'reduceScatter':
      return `${roundWords(round)}reduce-scatter of the gradients of ${unitMark(moment.module)}: ${scatterWords(trace, hops)}`;
    default:
      return `${roundWords(round)}${round.op}: ${movesTo(trace, hops, carriedWords(at(hops.sends, 0)))}`;
  }
}

/** A whole collective: all of its rounds are in the moment. */
function wholeSentence(trace: StepTrace, moment: Moment, hops: Hops, { op, count, collective }: MomentRound): string {
  const who = whoAre(trace, hops.from);
  const gets = who.all ? 'every rank gets' : `${who.text} get`;
  const end = `, in ${plural(count, 'round')}${besideWords(hops)}`;
  const ofUnit = gathersUnits(trace) && (moment.phase === 'gather' || op === 'reduceScatter');
  if (op === 'allGather')
    return `all-gather of ${ofUnit ? unitMark(moment.module) : piecesWords(at(hops.sends, 0))}: ${gets} the parts of all ranks${end}`;
  if (op === 'reduceScatter')
    return `reduce-scatter of ${ofUnit ? `the gradients of ${unitMark(moment.module)}` : carriedWords(at(hops.sends, 0))}: ${gets} one part of the sum${end}`;
  return `all-reduce ${reducedWords(trace, moment)}: ${gets} ${collective.reduceOp === 'max' ? 'the largest values' : 'the sum'}${end}`;
}

/** The name of a buffer of blocks already begins with 'pieces'. */
function piecesWords(e: TraceEvent): string {
  const said = carriedWords(e);
  if (normWords(e.slice?.buffer ?? '')) return 'the norms of all ranks’ own gradients';
  return said.startsWith('the pieces') ? said : `the pieces of ${said.replace(/^the (padded )?piece of /, '')}`;
}

/** Changes the sentence for an all-reduce of maxima. */
const asMax = ({ collective }: MomentRound, said: string): string =>
  collective.reduceOp === 'max' ? said.replace(/ adds? (it|them)\b/, ' keeps the larger values') : said;

const from = ({ from: devices }: Hops): number => at([...devices], 0);
const to = ({ to: devices }: Hops): number => at([...devices], 0);
/** The receivers of one device's parts: the only other device by name, or 'each of the other devices'. */
const oneOrEach = (trace: StepTrace, hops: Hops): string =>
  hops.to.size === 1 ? deviceName(trace, to(hops)) : 'each of the other devices';
const verb = (devices: ReadonlySet<number>): string => (devices.size > 1 ? 'send' : 'sends');
const roundWords = ({ index, count }: MomentRound): string => (count > 1 ? `round ${index + 1} of ${count}, ` : '');
const besideWords = ({ groups }: Hops): string => (groups > 1 ? `, in ${numberWord(groups)} groups` : '');

/** 'round 2 of 6, reduce-scatter of bucket 0'. */
function allReduceHead(trace: StepTrace, moment: Moment, round: MomentRound): string {
  const { part } = round;
  const what = reducedWords(trace, moment);
  const halves = part !== undefined && round.collective.algorithm !== 'naive' && isHalved(round.collective);
  return `${roundWords(round)}${halves ? part : 'all-reduce'} ${what}`;
}

/** Trees move whole buckets up and down, so neither half is a reduce-scatter. */
const isHalved = ({ algorithm }: CollectiveRef): boolean => algorithm !== 'tree' && algorithm !== 'doubleTree';

function reducedWords(trace: StepTrace, { bucket, module, events, phase }: Moment): string {
  const e = at(trace.events, at(events, 0));
  const buffer = e.slice?.buffer ?? '';
  if (e.anchor === 'average') return 'of the weights';
  if (e.anchor === 'join') return 'for join()';
  if (bucket !== undefined) {
    const matrix = /\.(p|q)$/.exec(buffer)?.[1];
    if (buffer.endsWith('.uncompressed')) return `of the uncompressed part of ${bucketMark(bucket)}`;
    return matrix ? `of PowerSGD's ${matrix.toUpperCase()} of ${bucketMark(bucket)}` : `of ${bucketMark(bucket)}`;
  }
  if (cutsLayers(trace) && !ofSyncBatchNorm(e) && e.anchor !== 'step' && phase !== 'step') {
    const what = `the ${sentWords(buffer)}`;
    const { reduceOp, part } = e.collective ?? {};
    if (reduceOp === 'max' || part === 'all-gather') return `of ${what}`;
    return `of the ${numberWord(groupSize(trace, e))} addends of ${what}`;
  }
  if (phase === 'backward' && module !== '') return `of SyncBatchNorm's sums in ${layerMark(module)}`;
  if (buffer === 'local_used_map') return 'of the map of used parameters';
  return `of ${carriedWords(e)}`;
}

function allReduceWords(trace: StepTrace, moment: Moment, hops: Hops, { part, collective }: MomentRound): string {
  const bucketed = collective.bucket !== undefined;
  const adds = part === 'reduce-scatter';
  const { algorithm } = collective;
  const ranks = hops.from.size;
  if (algorithm === 'hierarchical' && acrossNodes(trace, moment) !== undefined)
    return hierarchicalWords(trace, moment, hops);
  if ((algorithm === 'ring' || algorithm === 'hierarchical') && ranks > 1) return ringWords(trace, hops, adds);
  if (algorithm === 'halvingDoubling' && ranks > 1 && isSwap(hops))
    return adds
      ? `${partners(trace, hops)} swap half of their unfinished sums and add them`
      : `${partners(trace, hops)} swap their finished parts`;
  if (algorithm === 'tree' || algorithm === 'doubleTree')
    return treeWords(trace, hops, adds, algorithm === 'doubleTree');
  // Before and after halving and doubling, ranks beyond a power of two send whole buckets.
  const what = (collective.chunks ?? 1) > 1 && algorithm !== 'halvingDoubling' ? 'chunk' : 'bucket';
  const own = bucketed ? what : 'value';
  if (adds)
    return movesTo(
      trace,
      hops,
      own === 'bucket' && ranks > 1
        ? 'their whole bucket'
        : ranks > 1
          ? `one ${own}`
          : own === 'bucket'
            ? 'its whole bucket'
            : `its ${own}`,
    );
  return movesTo(trace, hops, what === 'chunk' && bucketed ? 'finished chunks' : 'the result');
}

function ringWords(trace: StepTrace, hops: Hops, adds: boolean): string {
  const who = whoAre(trace, hops.from);
  const neighbour = hops.sends.length === 2 && isSwap(hops) ? 'the other' : 'its neighbour';
  const then = adds && hops.adds ? ', which adds it' : '';
  if (who.all) return `every rank ${adds ? 'sends one chunk' : 'passes one finished chunk on'} to ${neighbour}${then}`;
  // Buckets with fewer elements than there are ranks.
  return `${who.text} each ${adds ? 'send one chunk' : 'pass one finished chunk on'} to a neighbour${then}`;
}

const partners = (trace: StepTrace, hops: Hops): string =>
  hops.from.size === 2 ? `${whoAre(trace, hops.from).text}` : `pairs of ranks`;

function treeWords(trace: StepTrace, hops: Hops, up: boolean, two: boolean): string {
  const who = whoAre(trace, hops.from);
  if (two) {
    const what = up ? 'half a bucket up' : 'half of the result down';
    const then = up ? `, which ${hops.to.size > 1 ? 'add' : 'adds'} it` : '';
    return `${who.text} ${verb(hops.from)} ${what} a tree to ${receivers(trace, hops)}${then}`;
  }
  if (up)
    return `${who.text} ${verb(hops.from)} ${who.many ? 'their sums' : 'its sum'} up the tree to ${receivers(trace, hops)}, which ${hops.to.size > 1 ? 'add them' : hops.from.size > 1 ? 'adds them' : 'adds it'}`;
  return `${who.text} ${verb(hops.from)} the result down the tree to ${receivers(trace, hops)}`;
}

const receivers = (trace: StepTrace, hops: Hops): string => othersOf(trace, hops.to, hops.from).text;

function movesTo(trace: StepTrace, hops: Hops, what: string): string {
  const who = othersOf(trace, hops.from, hops.to);
  const others = othersOf(trace, hops.to, hops.from);
  const then = hops.adds ? `, which ${others.many ? 'add' : 'adds'} ${who.many ? 'them' : 'it'}` : '';
  if (who.all && others.all && who.many)
    return `every rank sends ${what} to ${hops.sends.length > hops.from.size ? 'all others' : 'another'}${hops.adds ? ', which adds it' : ''}`;
  return `${who.text}${who.many ? ' each' : ''} ${verb(hops.from)} ${what} to ${others.text}${then}`;
}

/** Each rank's part goes around until all ranks have all parts. */
const gatherWords = (trace: StepTrace, hops: Hops): string => {
  const who = whoAre(trace, hops.from);
  if (who.all && who.many)
    return `every rank passes one rank’s part on to ${hops.from.size === 2 ? 'the other' : 'another'}`;
  return amongThem(hops)
    ? `${who.text} each pass one rank’s part on to ${hops.from.size === 2 ? 'the other' : 'another'}${besideWords(hops)}`
    : movesTo(trace, hops, 'one rank’s part');
};

const scatterWords = (trace: StepTrace, hops: Hops): string => {
  const who = whoAre(trace, hops.from);
  return amongThem(hops) && !who.all
    ? `${who.text} each send a part to ${hops.from.size === 2 ? 'the other' : 'another'}, which adds it${besideWords(hops)}`
    : movesTo(trace, hops, 'a part');
};

/** Whether several ranks send among themselves. */
const amongThem = ({ from: senders, to: receiving }: Hops): boolean =>
  senders.size > 1 && senders.size === receiving.size && [...senders].every((device) => receiving.has(device));

function broadcastSentence(trace: StepTrace, moment: Moment, hops: Hops): string {
  const buffers = [...new Set(hops.sends.map((e) => e.slice?.buffer ?? ''))];
  const receiver = othersOf(trace, hops.to, hops.from).text;
  const sender = whoAre(trace, hops.from).text;
  // Before replicate, the other devices have no replicas.
  if (moment.phase === 'replicate')
    return `replicate: ${sender} ${verb(hops.from)} all parameters to ${receiver.replace('replicas', 'devices')}`;
  const buffer = buffers[0] ?? '';
  const running = /\.(running_mean|running_var|num_batches_tracked)$/.test(buffer);
  const what = buffers.length > 1 ? plural(buffers.length, 'tensor') : buffer;
  const kind = running ? `its buffer ${what}` : what;
  const head = trace.kind.type === 'construct' ? 'DDP(model)' : 'broadcast';
  return `${head}: ${sender} ${verb(hops.from)} ${kind} to ${receiver}`;
}

/** The sentence of messages outside collectives. */
export function messageSentence(trace: StepTrace, moment: Moment): string {
  const hops = hopsOf(trace, moment);
  const e = at(hops.sends.length > 0 ? hops.sends : moment.events.map((index) => at(trace.events, index)), 0);
  const sender = whoAre(trace, hops.from);
  const receiver = whoAre(trace, hops.to);
  const buffer = e.slice?.buffer ?? '';
  if (hasServer(trace) && e.anchor === 'pull') return `pull: the server sends the weights to ${receiver.text}`;
  if (hasServer(trace) && e.anchor === 'push')
    return `push: ${sender.text} ${verb(hops.from)} ${sender.many ? 'their' : 'its'} gradients to the server${hops.adds ? ', which adds them' : ''}`;
  if (normWords(buffer))
    return `clip_grad_norm_(): ${sender.text} ${verb(hops.from)} ${normSent(buffer, sender.many)} to ${receiver.text}`;
  if (buffer === 'scaler.found_inf')
    return 'scaler.unscale_(): the devices tell one another whether a gradient is inf or NaN';
  if (isModelParallel(trace)) {
    const module = /^(.*)\.out(\.grad)?$/.exec(buffer)?.[1] ?? '';
    const output = module === '' ? 'the activations' : `the output of ${layerMark(module)}`;
    return e.phase === 'forward'
      ? `forward: ${sender.text} sends ${output} on to ${receiver.text}`
      : `backward: ${sender.text} sends the gradient of ${output} back to ${receiver.text}`;
  }
  return `${e.phase}: ${movesTo(trace, hops, carriedWords(e))}`;
}

const normSent = (buffer: string, many: boolean): string =>
  buffer === 'grad_norm' ? 'the norm of all gradients' : `the norm of ${many ? 'their' : 'its'} own gradients`;
