/**
 * Says of a process group that has failed what happened: which rank, at which step and instruction, and who waits for whom, with the line of the script. The worlds know
 * instructions; the words for them are here. Called by running.ts and run.ts before they tell anyone.
 */
import { LockstepError } from '../../base/errors';
import { codeLines } from '../../interop/pytorch-code';
import type { Instruction, Program } from '../../program/instruction';
import type { CollectiveRef, DeviceIndex, Rank } from '../../protocol/trace';
import type { FailureDetails, StandsAt } from '../../runtime/launch/world';
import type { Blueprint } from '../blueprint';

type Subject = Pick<Blueprint, 'programs' | 'rankOfDevice' | 'config' | 'strategy'>;

/** More ranks are counted, not listed. */
const LISTED = 4;

/** 'allReduce' as torch.distributed calls it. */
const torchName = (op: string): string => op.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function collectiveWords({ op, bucket, seq }: CollectiveRef, ofInstruction: number | undefined): string {
  const of = bucket ?? ofInstruction;
  return `${torchName(op)}${of === undefined ? '' : ` of bucket ${of}`} (seq ${seq})`;
}

/** What an instruction is about: 'backward of 2', 'all_reduce of bucket 0 (seq 1)'. */
export function instructionWords(i: Instruction): string {
  if ((i.kind === 'send' || i.kind === 'recv') && i.collective) return collectiveWords(i.collective, i.bucket);
  if (i.kind === 'send' || i.kind === 'recv') return `${i.kind} of ${i.slice.buffer}`;
  const what = i.kind === 'load' ? `loading ${i.source}` : i.phase === 'step' ? 'the optimizer step' : i.phase;
  return `${what}${i.module === '' ? '' : ` of ${i.module}`}`;
}

interface Place {
  readonly device: DeviceIndex;
  /** What the device is at, or waits in. */
  readonly instruction: Instruction;
  /** Whose message it waits for. */
  readonly peer: DeviceIndex | undefined;
}

/** The instruction that tells most of a device: the one it was stopped at, the message that it waits for, else what it computes. */
function placeOf(
  { device, compute, comm, variant }: StandsAt,
  programs: readonly Program[],
  stop: number | undefined,
): Place | undefined {
  const lane = programs.find((p) => p.variant === variant)?.lanes.find((l) => l.device === device);
  const byId = (id: number | undefined) => lane?.instructions.find((i) => i.id === id);
  const heads = [byId(compute), byId(comm)].flatMap((i) => (i ? [i] : []));
  const stopped = heads.find(({ id }) => id === stop);
  if (stopped) return { device, instruction: stopped, peer: undefined };
  const recv = heads.find((i) => i.kind === 'recv');
  if (recv?.kind === 'recv') return { device, instruction: recv, peer: recv.peer };
  const instruction = heads.find((i) => i.kind !== 'wait');
  return instruction && { device, instruction, peer: undefined };
}

export function explainFailure(error: LockstepError, blueprint: Subject, step: number): LockstepError {
  if (error.code !== 'rank-failed' && error.code !== 'timeout') return error;
  const { programs, rankOfDevice, config } = blueprint;
  const details = error.details as Partial<FailureDetails>;
  const { rank, fault, waiting } = details;
  const positions = details.positions ?? [];
  const at = fault?.step ?? positions.find((p) => p.step !== undefined)?.step ?? step;
  const script = codeLines(config, blueprint.strategy.layersOfDevice(config));
  const lineOf = (i: Instruction): string => {
    const found = script.find(({ anchor }) => anchor === i.anchor && anchor !== 'none');
    return found ? ` [${found.text.trim()}]` : '';
  };
  const rankOf = (device: DeviceIndex): Rank => rankOfDevice[device] ?? device;
  const say = ({ device, instruction, peer }: Place): string => {
    const who = `rank ${rankOf(device)}`;
    if (peer === undefined) return `${who} is at ${instructionWords(instruction)}${lineOf(instruction)}`;
    const whom = rankOf(peer) === rankOf(device) ? `cuda:${peer}` : `rank ${rankOf(peer)}`;
    return `${who} waits in ${instructionWords(instruction)} for ${whom}${lineOf(instruction)}`;
  };
  const stop = fault?.instruction;
  const places = positions.flatMap((p) => placeOf(p, programs, stop) ?? []);
  // Who waited too long first, then whom it waited for, then the others.
  const order = (place: Place): number => [waiting, rank].indexOf(rankOf(place.device)) + 1 || 3;
  const sorted = [...places].sort((a, b) => order(a) - order(b));
  const known = sorted.some(({ device }) => rankOf(device) === rank);
  const killedAt =
    fault &&
    programs
      .flatMap((p) => p.lanes)
      .flatMap((l) => l.instructions)
      .find((i) => i.id === stop);
  const said = sorted.slice(0, LISTED).map(say);
  if (error.code === 'timeout' && rank !== undefined && !known)
    said.splice(1, 0, `rank ${rank} does not say where it is`);
  if (error.code === 'rank-failed' && killedAt && !known)
    said.unshift(`it was at ${instructionWords(killedAt)}${lineOf(killedAt)}`);
  const more = sorted.length > LISTED ? `; and ${sorted.length - LISTED} more` : '';
  const first = error.message.replace(/ in this step\.$/, '').replace(/\.$/, '');
  const where = said.length === 0 ? '' : `: ${said.join('; ')}${more}`;
  return new LockstepError(error.code, `${first} at step ${at}${where}.`, error.hint, { ...error.details, step: at });
}
