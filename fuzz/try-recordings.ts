/**
 * A case of the fuzzer of `lockstep import`: reads the files, analyses them, and prints the result as text and as JSON.
 * It reads all files at once, damaged files together with undamaged ones.
 */
import fc from 'fast-check';
import { importFiles } from '../src/recordings/import-files';
import { findings, importJson, importText } from '../src/recordings/import-text';
import { fileOf, recorded } from '../src/recordings/testing/files';
import { ncclTraces } from '../src/recordings/testing/nccl-traces';
import { anyFileOf, type DamagedFile, damaged } from './arbitraries/files';
import { GROWN_RECORDINGS, type GrownFile, grownRecording } from './arbitraries/grown';
import { checkSentence, keepsPromise } from './promise';

type Bytes = Uint8Array<ArrayBuffer>;

/** Small recordings of a run: traces over NCCL, the flight recorders of torch and of Lockstep, pickles, a table. */
const WHOLE: Readonly<Record<string, () => Bytes>> = Object.fromEntries(
  await Promise.all(
    [
      ...ncclTraces({ ranks: 2, steps: 2, gradients: [40, 8] }),
      ...recorded('ddp2', /flight-recorder|rank1.json.gz/),
      ...recorded('flight'),
      ...recorded('pickles', /pickle$/),
      ...recorded('tables'),
    ].map(async (file) => {
      const bytes = new Uint8Array(await new Response(file.stream()).arrayBuffer());
      return [file.name, () => bytes] as const;
    }),
  ),
);

export type RecordingCase = { readonly damaged: readonly DamagedFile[] } | { readonly grown: GrownFile };

export const anyRecording: fc.Arbitrary<RecordingCase> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ damaged: fc.array(anyFileOf(Object.keys(WHOLE)), { minLength: 1, maxLength: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ grown: grownRecording }) },
);

/** Notices and lines must be readable, whatever the files contain. */
const MOST_NOTICES = 100;
const MOST_TEXT = 200_000;
/** A name from a file must not clear the reader's screen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

export function checkPrinted(text: string): void {
  if (text.length > MOST_TEXT) throw new Error(`${text.length} characters are printed: ${text.slice(0, 300)}`);
  const found = OBEYED.exec(text);
  if (found)
    throw new Error(`a terminal obeys what is printed: ${JSON.stringify(text.slice(found.index - 20).slice(0, 60))}`);
}

export async function tryRecording(given: RecordingCase): Promise<void> {
  const contents =
    'grown' in given
      ? Object.entries(GROWN_RECORDINGS[given.grown.how]?.(given.grown.bytes) ?? {})
      : given.damaged.map((file) => [file.name, damaged(file, WHOLE)] as const);
  const files = contents.map(([name, content]) => fileOf(name, content));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  await keepsPromise(async () => {
    const imported = await importFiles(files);
    if (imported.notices.length > MOST_NOTICES) throw new Error(`${imported.notices.length} notices`);
    for (const { text } of imported.notices) checkSentence(text);
    const found = findings(imported, undefined);
    checkPrinted(importText(found));
    JSON.stringify(importJson(found));
  }, bytes);
}
