/**
 * Asks only about the newest input: one question at a time, at most one every `everyMs`; a new input replaces a waiting
 * one. So answers do not lag behind a hand that draws faster than the model answers. Independent of React; the pad owns
 * one.
 */
export interface NewestOnly<Input> {
  ask(input: Input): void;
  /** Forgets the waiting input and ignores the pending answer. */
  drop(): void;
}

export interface NewestOnlyOptions<Input, Answer> {
  readonly everyMs: number;
  readonly ask: (input: Input) => Promise<Answer>;
  readonly onAnswer: (answer: Answer) => void;
  readonly onError: (error: unknown) => void;
}

export function createNewestOnly<Input, Answer>(options: NewestOnlyOptions<Input, Answer>): NewestOnly<Input> {
  let waiting: { readonly input: Input } | undefined;
  let busy = false;
  let era = 0;

  const run = async (input: Input): Promise<void> => {
    const mine = era;
    const pause = new Promise((resolve) => setTimeout(resolve, options.everyMs));
    try {
      const answer = await options.ask(input);
      if (mine === era) options.onAnswer(answer);
    } catch (error) {
      if (mine === era) options.onError(error);
    }
    await pause;
  };
  const loop = async (): Promise<void> => {
    busy = true;
    while (waiting) {
      const { input } = waiting;
      waiting = undefined;
      await run(input);
    }
    busy = false;
  };
  return {
    ask(input) {
      waiting = { input };
      if (!busy) void loop();
    },
    drop() {
      era++;
      waiting = undefined;
    },
  };
}
