/**
 * What the reader has done in the lessons, kept on this machine only: lessons opened, tasks done, guesses made.
 * Unreadable data, or data of an unknown version, count as empty; without storage, nothing is kept.
 */
const KEY = 'lockstep.learn';
const VERSION = 1;

export interface LessonProgress {
  readonly tasks: ReadonlySet<string>;
  /** The guesses, by prediction. */
  readonly guesses: ReadonlyMap<string, number>;
  /** All tasks of the lesson are done. */
  readonly done: boolean;
}

export interface Progress {
  /** Undefined if the lesson was never opened. */
  of(lesson: string): LessonProgress | undefined;
  open(lesson: string): void;
  finish(lesson: string): void;
  taskDone(lesson: string, task: string): void;
  /** `undefined` takes the guess back. */
  guess(lesson: string, prediction: string, guess: number | undefined): void;
}

type Lessons = ReadonlyMap<string, LessonProgress>;

const NOTHING: LessonProgress = { tasks: new Set(), guesses: new Map(), done: false };

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const pairsOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  isRecord(value) ? Object.entries(value) : [];

function readLesson(value: unknown): LessonProgress {
  if (!isRecord(value)) return NOTHING;
  const { tasks, guesses, done } = value;
  return {
    tasks: new Set(Array.isArray(tasks) ? tasks.filter((task) => typeof task === 'string') : []),
    guesses: new Map(pairsOf(guesses).flatMap(([id, guess]) => (Number.isFinite(guess) ? [[id, Number(guess)]] : []))),
    done: done === true,
  };
}

function read(text: string | null): Lessons {
  try {
    const kept: unknown = JSON.parse(text ?? '');
    if (!isRecord(kept) || kept['version'] !== VERSION) return new Map();
    return new Map(pairsOf(kept['lessons']).map(([name, lesson]) => [name, readLesson(lesson)]));
  } catch {
    return new Map();
  }
}

const write = (lessons: Lessons): string =>
  JSON.stringify({
    version: VERSION,
    lessons: Object.fromEntries(
      [...lessons].map(([name, { tasks, guesses, done }]) => [
        name,
        { tasks: [...tasks], guesses: Object.fromEntries(guesses), done },
      ]),
    ),
  });

/** `storage`: undefined if the browser keeps nothing for this page. */
export function createProgress(storage: Pick<Storage, 'getItem' | 'setItem'> | undefined): Progress {
  /** Reads each time, because another tab may have written. */
  const load = (): Lessons => {
    try {
      return read(storage?.getItem(KEY) ?? null);
    } catch {
      return new Map();
    }
  };
  let unkept: Lessons = new Map();
  const lessons = (): Lessons => (storage ? load() : unkept);
  const change = (lesson: string, how: (now: LessonProgress) => LessonProgress): void => {
    const before = lessons();
    const next = new Map([...before, [lesson, how(before.get(lesson) ?? NOTHING)]]);
    unkept = next;
    try {
      storage?.setItem(KEY, write(next));
    } catch {
      // The disk is full, or the browser keeps nothing: the page works without progress.
    }
  };
  return {
    of: (lesson) => lessons().get(lesson),
    open: (lesson) => change(lesson, (now) => now),
    finish: (lesson) => change(lesson, (now) => ({ ...now, done: true })),
    taskDone: (lesson, task) => change(lesson, (now) => ({ ...now, tasks: new Set([...now.tasks, task]) })),
    guess: (lesson, prediction, guess) =>
      change(lesson, (now) => {
        const guesses = new Map(now.guesses);
        if (guess === undefined) guesses.delete(prediction);
        else guesses.set(prediction, guess);
        return { ...now, guesses };
      }),
  };
}

/** Some browsers throw at the mere access to localStorage. */
export function storageOf(page: Pick<Window, 'localStorage'>): Storage | undefined {
  try {
    return page.localStorage;
  } catch {
    return undefined;
  }
}
