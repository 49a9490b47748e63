/**
 * Why a run in PyTorch ended early: among all lost ranks, finds the one that caused the others' loss, with a sentence
 * about it. torchrun names the first rank whose exit it sees, which often only lost its connection. Pure; called by
 * torch-report.ts and rank-output.ts.
 */
import type { CodePlace, Failure, TorchProcess } from './rank-server';

export interface LostRank {
  readonly process: Pick<TorchProcess, 'rank' | 'node' | 'pid'>;
  /** The time in seconds. */
  readonly time: number;
  /** The exception that ended the rank. */
  readonly failed?: Failure;
  /** The exit code. Negative: the signal; absent: not known. */
  readonly exitCode?: number;
  /** The rank's own last words. */
  readonly said?: string;
  /** Where the rank was when it was ended from outside, because it continued after another rank had failed. */
  readonly leftOver?: CodePlace;
}

export interface RankLossCause {
  readonly message: string;
  readonly hint: string;
  readonly rank: number | undefined;
}

/** Errors of a rank whose connection to another rank is lost. */
const CONNECTION_LOST =
  /Connection (closed|reset|refused)|Broken pipe|Socket (closed|is not connected)|remote process exited|failed to (recv|send)|ncclRemoteError|NCCL communicator was aborted|TCPStore|recvBytes|sendBytes/i;
const TIMED_OUT = /timed? ?out/i;

/** Places in code where a rank waits for others. */
const WAITS = /distributed|collective|autograd|_tensor\.py|^(wait|barrier|backward|run_backward) of/;

const isAfterAnother = ({ failed }: LostRank): boolean =>
  failed !== undefined && (CONNECTION_LOST.test(failed.message) || TIMED_OUT.test(failed.message));

/** The first line of a message; torch adds stacks after it. */
const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';

export function placeWords({ file, line, text, inside }: CodePlace): string {
  const where = file === undefined ? '' : `${file}, line ${line}${text ? `: ${text}` : ''}`;
  return where === '' ? (inside ?? 'an unknown place') : where;
}

/** Undefined if no rank was lost. */
export function causeOf(lost: readonly LostRank[], timeoutS: number, nodes: number): RankLossCause | undefined {
  const byTime = lost.toSorted((a, b) => a.time - b.time);
  const [first] = byTime;
  if (first === undefined) return undefined;
  const own = byTime.find((rank) => !isAfterAnother(rank) && rank.leftOver === undefined);
  if (own) return ownCause(own);
  const left = byTime.filter(({ leftOver }) => leftOver !== undefined);
  const absent = left.filter(({ leftOver }) => !WAITS.test(leftOver?.inside ?? ''));
  const hung = absent.length > 0 ? absent : left;
  const waited = byTime.filter(({ failed }) => failed !== undefined && TIMED_OUT.test(failed.message));
  if (hung.length > 0 && waited.length > 0) return hungCause(hung, waited, timeoutS);
  if (waited.length === 0 && nodes > 1)
    return {
      message: `${ranksOf(byTime)} lost the connection to a rank of another node (${saidBy(first)}).`,
      hint: 'The output of the other nodes names the rank that failed.',
      rank: undefined,
    };
  return ownCause(first);
}

/** PyTorch can be installed without NumPy, but some of its functions need NumPy. */
function missingModule(message: string): string {
  const name = /Numpy is not available/.test(message) ? 'numpy' : /^No module named '([\w.]+)'/.exec(message)?.[1];
  return name === undefined ? '' : `Install it for the Python of torch: python3 -m pip install ${name.split('.')[0]}.`;
}

function ownCause({ process: { rank }, failed, exitCode, said }: LostRank): RankLossCause {
  if (failed)
    return {
      message: `Rank ${rank} failed in ${placeWords(failed)}\n${failed.type}: ${failed.message.trim()}`,
      hint: missingModule(failed.message),
      rank,
    };
  if (said !== undefined) return { message: `Rank ${rank} ended: ${said}`, hint: '', rank };
  const how =
    exitCode === undefined
      ? 'ended without an exception'
      : exitCode < 0
        ? `was ended by signal ${-exitCode}${exitCode === -9 ? ' (SIGKILL)' : exitCode === -11 ? ' (SIGSEGV)' : ''}`
        : `ended with exit status ${exitCode} and without an exception`;
  return {
    message: `Rank ${rank} ${how}.`,
    hint: exitCode === -9 ? 'If nobody killed it, the machine may have run out of memory.' : '',
    rank,
  };
}

function hungCause(hung: readonly LostRank[], waited: readonly LostRank[], timeoutS: number): RankLossCause {
  const [one] = hung;
  const who =
    hung.length === 1 && one
      ? `Rank ${one.process.rank} hung in ${placeWords(one.leftOver ?? {})}`
      : `${ranksOf(hung)} hung (${hung.map(({ process: { rank }, leftOver = {} }) => `rank ${rank} in ${placeWords(leftOver)}`).join('; ')})`;
  const others = ranksOf(waited).replace('Rank', 'rank');
  return {
    message: `${who}\n${others} waited for ${hung.length === 1 ? 'it' : 'them'} until the process group's timeout of ${timeoutS} s.`,
    hint: 'timeoutS in the configuration is how long a rank waits in a collective.',
    rank: one?.process.rank,
  };
}

const saidBy = ({ failed }: LostRank): string => (failed ? firstLine(failed.message) : 'no exception');

function ranksOf(lost: readonly LostRank[]): string {
  const ranks = [...new Set(lost.map(({ process: { rank } }) => rank))].toSorted((a, b) => a - b);
  return `${ranks.length === 1 ? 'Rank' : 'Ranks'} ${new Intl.ListFormat('en-GB').format(ranks.map(String))}`;
}
