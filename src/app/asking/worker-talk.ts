/**
 * Questions to a worker, each with its answer: the types, and the worker's side; ask-worker.ts is the page's side. Used
 * by the workers that read recordings and reports.
 */
import { toWire, type WireError } from '../../base/errors';
import { must } from '../../base/invariant';
import { lookup } from '../../base/lookup';

/** The questions, by name. The worker sends `progress` before the answer. */
export type Questions = Readonly<Record<string, { question: unknown; answer: unknown; progress?: unknown }>>;

export interface AskedQuestion<Q extends Questions> {
  readonly id: number;
  readonly name: keyof Q & string;
  readonly question: Q[keyof Q]['question'];
}

export type Answered =
  | { readonly id: number; readonly type: 'progress'; readonly progress: unknown }
  | { readonly id: number; readonly type: 'answer'; readonly answer: unknown }
  | { readonly id: number; readonly type: 'failed'; readonly error: WireError };

export interface Given<T> {
  readonly answer: T;
  /** Objects that are moved to the page instead of copied. */
  readonly move?: readonly Transferable[];
}

export type Answers<Q extends Questions> = {
  readonly [K in keyof Q]: (
    question: Q[K]['question'],
    say: (progress: Q[K]['progress']) => void,
  ) => Promise<Given<Q[K]['answer']>>;
};

/** Called in a worker: answers every question, not necessarily in order. */
export function answerQuestions<Q extends Questions>(answers: Answers<Q>): void {
  const send = (message: Answered, move: readonly Transferable[] = []): void =>
    self.postMessage(message, { transfer: [...move] });
  self.addEventListener('message', ({ data: { id, name, question } }: MessageEvent<AskedQuestion<Q>>) => {
    const answer = must(lookup(answers, name), `an answer to ${name}`);
    answer(question, (progress) => send({ id, type: 'progress', progress })).then(
      ({ answer: given, move }) => send({ id, type: 'answer', answer: given }, move),
      (error: unknown) => send({ id, type: 'failed', error: toWire(error) }),
    );
  });
}
