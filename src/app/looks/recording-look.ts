/**
 * Guesses from the first bytes whether dropped files are recordings of runs elsewhere, or reports; endings do not tell,
 * because data to train on may be .gz and .txt, too. The part of the page that then reads a file reports errors in it.
 */
import type { GivenFile } from './dropped-folders';

export type Looked = 'recording' | 'report' | undefined;

const HEAD_BYTES = 64 * 1024;
const GZIP = [0x1f, 0x8b];
const PICKLE = 0x80;
const NEWEST_PICKLE = 5;

const RECORDED = [
  // torch.profiler and Chrome traces
  /"traceEvents"\s*:|"distributedInfo"\s*:|^\s*\[\s*\{[^}]*"ph"\s*:/,
  // the flight recorder as JSON
  /"collective_seq_id"\s*:|"comm_lib_version"\s*:|"pg_config"\s*:|"nccl_version"\s*:/,
  // nccl-tests, lockstep collectives
  /^#.*\b(nThread|algbw|busbw)\b/m,
];
const REPORTED = /"losses"\s*:|"weightsSha256"\s*:|"lockstep"\s*:\s*"/;

/** The first bytes, unpacked if necessary. */
async function headOf(file: File): Promise<Uint8Array> {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  if (!GZIP.every((byte, i) => head[i] === byte)) return head;
  const unpacked = new Blob([head]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  try {
    return (await unpacked.read()).value ?? head;
  } catch {
    return head;
  }
}

const isPickle = (head: Uint8Array): boolean =>
  head[0] === PICKLE && (head[1] ?? 0) >= 2 && (head[1] ?? 0) <= NEWEST_PICKLE;

export async function lookAt({ file }: GivenFile): Promise<Looked> {
  const head = await headOf(file);
  if (isPickle(head)) return 'recording';
  const text = new TextDecoder().decode(head);
  if (RECORDED.some((pattern) => pattern.test(text))) return 'recording';
  return /^\s*\{/.test(text) && REPORTED.test(text) ? 'report' : undefined;
}
