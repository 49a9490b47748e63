/**
 * The step kinds of one run, cached. A small net takes tens of thousands of steps per second of only a few kinds, so
 * each kind is made once, with its key, when the run first needs it. Owned by the feeds of a blueprint
 * (blueprint/feeds.ts).
 */
import { invariant } from '../base/invariant';
import type { BatchSchedule } from '../data/batch-schedule';
import { type HookPhase, type ProgramKey, programKey, type TrainingKind } from '../protocol/step-kind';
import { endsJoin, isBeforeRebuild, type KindRules, kindAt, phaseAt, togetherAt } from './step-kinds';

export interface KeyedKind {
  readonly kind: TrainingKind;
  readonly key: ProgramKey;
}

export class RunKinds {
  /** By the size of the first micro-batch, by phase, and by `placeNumber`. */
  private readonly made = new Map<string, Map<HookPhase, Map<number, KeyedKind>>>();

  /** `translate`: maps a step's kind to its Program's kind, if they differ, as for the reference. */
  constructor(
    private readonly schedule: BatchSchedule,
    private readonly rules: KindRules,
    private readonly translate: (kind: TrainingKind) => TrainingKind = (kind) => kind,
  ) {}

  togetherAt(microBatch: number): number {
    return togetherAt(microBatch, this.schedule, this.rules);
  }

  /** The kind of one micro-batch, or of `count` micro-batches that one Program runs. */
  at(microBatch: number, count = 1): KeyedKind {
    const { schedule, rules, made } = this;
    // Micro-batches of one Program are all full and usual, so the first one decides the kind.
    invariant(count === 1 || count === this.togetherAt(microBatch), 'micro-batches of one Program');
    const ofSize = getOrMake(made, schedule.sizeAt(microBatch), newMap<HookPhase, Map<number, KeyedKind>>);
    const ofPhase = getOrMake(ofSize, phaseAt(microBatch + count - 1, rules), newMap<number, KeyedKind>);
    return getOrMake(ofPhase, this.placeNumber(microBatch, count), () => {
      const kind = this.translate(kindAt(microBatch, schedule, rules, count));
      return { kind, key: programKey(kind) };
    });
  }

  /** A unique number for each place in a group, number of micro-batches, and rare property. */
  private placeNumber(microBatch: number, count: number): number {
    const { schedule, rules } = this;
    const place = count * rules.accumulate + (microBatch % rules.accumulate);
    return 4 * place + (isBeforeRebuild(microBatch, rules) ? 2 : 0) + (endsJoin(microBatch, schedule, rules) ? 1 : 0);
  }
}

const newMap = <K, V>(): Map<K, V> => new Map();

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const value = make();
  map.set(key, value);
  return value;
}
