/**
 * Describes the failure of a process group: which rank failed at which step and instruction, and which ranks wait for
 * which, with the lines of the script. Worlds report instructions; this file puts them into words. The supervisor calls
 * it before it reports a failure.
 */
import { LockstepError } from '../../base/errors';
import type { Instruction } from '../../program/instruction';
import { stepOf, stepWords } from '../../protocol/micro-batches';
import type { CodeLine, CollectiveRef, Rank } from '../../protocol/trace';
import type { FailureDetails } from '../../runtime/launch/world';
import { capital } from '../../trace/capital';
import type { Blueprint } from '../blueprint';
import { type RankPlace, whoWaits } from './who-waits';

type Subject = Pick<Blueprint, 'programs' | 'processOfDevice' | 'config' | 'mode'>;

/** torch.distributed's name of 'allReduce': 'all_reduce'. */
export const torchName = (op: string): string => op.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function collectiveWords({ op, bucket, seq }: CollectiveRef, ofInstruction: number | undefined): string {
  const of = bucket ?? ofInstruction;
  return `${torchName(op)}${of === undefined ? '' : ` of bucket ${of}`} (seq ${seq})`;
}

/** 'rank 2', or in a mode whose processes have roles the page's name of the process: 'server', 'worker 2'. */
export const processName = (rank: Rank | undefined, { mode, config }: Pick<Subject, 'mode' | 'config'>): string =>
  (mode.face.failsByDevice && rank !== undefined ? mode.face.role?.(rank, config).title : undefined) ?? `rank ${rank}`;

/** An instruction in words: 'backward of 2.weight', 'all_reduce of bucket 0 (seq 1)'. */
export function instructionWords(i: Instruction): string {
  if ((i.kind === 'send' || i.kind === 'recv') && i.collective) return collectiveWords(i.collective, i.bucket);
  if (i.kind === 'send' || i.kind === 'recv') return `${i.kind} of ${i.slice.buffer}`;
  if (i.kind === 'load') return `loading ${i.source}`;
  if (i.phase === 'step') return 'the optimizer step';
  const gradient = i.kind === 'compute' ? i.outputs.find((name) => name.endsWith('.grad')) : undefined;
  const of = i.phase === 'backward' && gradient ? gradient.replace(/\.grad$/, '') : i.module;
  return `${i.phase}${of === '' ? '' : ` of ${of}`}`;
}

/** The line of the script that an instruction stands for; for a comment, the line that the comment explains. */
export function scriptLine(i: Pick<Instruction, 'anchor'>, script: readonly CodeLine[]): number | undefined {
  let index = i.anchor === 'none' ? -1 : script.findIndex(({ anchor }) => anchor === i.anchor);
  while (index > 0 && script[index]?.text.trim().startsWith('#')) index--;
  return index < 0 ? undefined : index;
}

/** How torch reports a hanging process depends on the mode's transport. */
function firstWords({ code, message, details }: LockstepError, subject: Subject): string {
  const { mode, config, processOfDevice } = subject;
  const { rank } = details as Partial<FailureDetails>;
  // The world's message knows only ranks (runtime/launch/group-failure.ts).
  const words = message.replace(/\.$/, '').replace(`Rank ${rank} (`, `${capital(processName(rank, subject))} (`);
  if (code !== 'timeout' || processOfDevice.length === 1) return words;
  // The message of torch's RPC agent (torch/csrc/distributed/rpc/tensorpipe_agent.cpp).
  if (mode.face.failsByDevice)
    return `RPC ran for more than set timeout (${1000 * config.timeoutS} ms) and will now be marked with an error`;
  if (new Set(processOfDevice).size > 1) return words;
  return `The process stopped responding and was killed after ${config.timeoutS} s (PyTorch would not kill it: a process without a process group has no timeout)`;
}

export function explainFailure(error: LockstepError, blueprint: Subject, microBatch: number): LockstepError {
  if (error.code !== 'rank-failed' && error.code !== 'timeout') return error;
  const { programs, processOfDevice, config } = blueprint;
  const { rank, fault, waiting, positions = [] } = error.details as Partial<FailureDetails>;
  const script = blueprint.mode.listing.now()?.(config) ?? [];
  const lineOf = (i: Instruction): string => {
    const text = script[scriptLine(i, script) ?? -1]?.text.trim();
    return text ? ` [${text}]` : '';
  };
  const name = (of: Rank | undefined) => processName(of, blueprint);
  const from = fault?.rank ?? (error.code === 'rank-failed' ? rank : (waiting ?? rank));
  const { places, culprit, waitsFor, placeOfRank } = whoWaits({
    programs,
    processOfDevice,
    positions,
    stopped: fault,
    from,
  });
  const its = placeOfRank(culprit);
  const known = positions.find((p) => p.microBatch !== undefined)?.microBatch;
  const at = fault?.microBatch ?? (known === undefined ? microBatch : known + (its?.instruction.microBatch ?? 0));
  const isWaiting = (place: RankPlace) => waitsFor(place) !== undefined;
  const direct = places.filter((place) => waitsFor(place) === culprit && isWaiting(place) && place.rank !== culprit);
  const behind = new Set(places.filter((p) => isWaiting(p) && !direct.includes(p) && p !== its).map((p) => p.rank));
  for (const { rank: counted } of direct) behind.delete(counted);
  const waits = direct.map(
    ({ rank: who, instruction }) =>
      `${name(who)} waits in ${instructionWords(instruction)} for ${name(culprit)}${lineOf(instruction)}`,
  );
  const stoppedAt = programs
    .flatMap((p) => p.lanes.flatMap((l) => l.instructions))
    .find((i) => i.id === fault?.instruction);
  const there = its?.instruction ?? stoppedAt;
  const is = error.code === 'timeout' ? 'is' : 'was';
  const stands = there
    ? `${name(culprit)} ${is} at ${instructionWords(there)}${lineOf(there)}`
    : error.code === 'timeout' && culprit !== undefined
      ? `${name(culprit)} does not report where it is`
      : undefined;
  const said = [...waits, ...(stands === undefined ? [] : [stands])];
  const more = behind.size === 0 ? '' : ` (${behind.size} morewait${behind.size === 1 ? 's' : ''} for these)`;
  const first = firstWords(error, blueprint);
  const where = said.length === 0 ? '' : `: ${said.join('; ')}${more}`;
  return new LockstepError(error.code, `${first} at ${stepWords(at, config)}${where}.`, error.hint, {
    ...error.details,
    step: stepOf(at, config),
  });
}
