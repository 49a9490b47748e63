/**
 * Tasks tick by themselves, from the state of their figure's run, once the reader has done something in the figure. A
 * hint appears after a while or on request; the solution does in the figure what the reader would do.
 */
import type { Lesson, Task } from '../../lesson';
import type { LiveFigure } from '../figure/live-figure';
import type { Figures } from './figures';
import type { Progress } from './progress';

/** A hint appears when the reader has looked at the figure for this long. */
const HINT_MS = 40_000;

export interface TasksOptions {
  readonly document: Document;
  readonly lesson: string;
  readonly table: () => Promise<Lesson>;
  readonly figures: Figures;
  readonly progress: Progress;
  /** `all`: this was the lesson's last task. */
  readonly onDone: (task: string, all: boolean) => void;
}

export function openTasks(options: TasksOptions): void {
  const { document, lesson, table, figures, progress } = options;
  const sections = [...document.querySelectorAll<HTMLElement>('.task[data-task]')];
  const done = new Set(progress.of(lesson)?.tasks);
  const ids = sections.map((section) => section.dataset['task'] ?? '');
  for (const section of sections) {
    const id = section.dataset['task'] ?? '';
    const tick = () => {
      if (done.has(id)) return;
      done.add(id);
      progress.taskDone(lesson, id);
      showDone(section, 'Done.');
      const all = ids.every((other) => done.has(other));
      if (all) progress.finish(lesson);
      options.onDone(id, all);
    };
    if (done.has(id)) showDone(section, '');
    const task = table().then((read) => new Map(Object.entries(read.tasks)).get(id));
    offerHelp(section, {
      isDone: () => done.has(id),
      solve: async () => {
        const known = await task;
        if (known) await solve(known, await figures.wake(known.figure), () => done.has(id));
      },
      claim: () => void task.then((known) => known && figures.claim(known.figure)).catch(() => undefined),
    });
    task.then(
      (known) => known && watch({ task: known, figures, section, tick, isDone: () => done.has(id) }),
      () => undefined,
    );
  }
}

interface Watched {
  readonly task: Task;
  readonly figures: Figures;
  readonly section: HTMLElement;
  readonly tick: () => void;
  readonly isDone: () => boolean;
}

function watch({ task, figures, section, tick, isDone }: Watched): void {
  figures.onLive((id, figure) => {
    if (id !== task.figure) return;
    figure.onChange(() => {
      if (isDone()) return;
      const facts = figure.facts();
      if (facts.pressed.length > 0 && task.done(facts)) tick();
    });
    hintAfterAWhile(section, figure.element, isDone);
  });
}

function hintAfterAWhile(section: HTMLElement, figure: HTMLElement, isDone: () => boolean): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const seen = new IntersectionObserver((entries) => {
    clearTimeout(timer);
    if (!entries.at(-1)?.isIntersecting || isDone()) return;
    timer = setTimeout(() => {
      if (!isDone()) showHint(section);
    }, HINT_MS);
  });
  seen.observe(figure);
}

interface Help {
  readonly isDone: () => boolean;
  readonly solve: () => Promise<void>;
  readonly claim: () => void;
}

function offerHelp(section: HTMLElement, { isDone, solve: run, claim }: Help): void {
  const more = section.querySelector<HTMLButtonElement>('.task-more');
  const solution = section.querySelector<HTMLButtonElement>('.task-solve');
  if (more) {
    more.hidden = isDone();
    more.addEventListener('click', () => {
      showHint(section);
      section.querySelector<HTMLElement>('.task-hint')?.focus();
    });
  }
  if (!solution) return;
  solution.hidden = false;
  solution.addEventListener('click', () => {
    // A disabled button would lose the focus.
    if (solution.getAttribute('aria-disabled') === 'true') return;
    solution.setAttribute('aria-disabled', 'true');
    say(section, 'The figure shows how.');
    claim();
    run()
      .then(
        () => say(section, isDone() ? 'Done.' : ''),
        (error: unknown) => say(section, `The figure does not run: ${String(error)}`),
      )
      .finally(() => solution.removeAttribute('aria-disabled'));
  });
}

async function solve(task: Task, figure: LiveFigure, isDone: () => boolean): Promise<void> {
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  figure.element.scrollIntoView({ block: 'center', behavior: calm ? 'auto' : 'smooth' });
  await figure.lead.solve(task.solution, isDone);
}

function showHint(section: HTMLElement): void {
  const hint = section.querySelector<HTMLElement>('.task-hint');
  if (!hint) return;
  hint.hidden = false;
  hint.tabIndex = -1;
  const more = section.querySelector<HTMLElement>('.task-more');
  if (more) more.hidden = true;
}

const say = (section: HTMLElement, words: string): void => {
  const status = section.querySelector('.task-status');
  if (status) status.textContent = words;
};

function showDone(section: HTMLElement, words: string): void {
  section.dataset['done'] = '';
  const box = section.querySelector<HTMLInputElement>('input[type="checkbox"]');
  if (box) box.checked = true;
  const more = section.querySelector<HTMLElement>('.task-more');
  if (more) more.hidden = true;
  say(section, words);
}
