/**
 * Predict, then reveal: the answer is hidden until the reader commits to a guess, which then stays beside it. A live
 * figure gets the settings of the question, so that its run shows the answer.
 */
import { must } from '../../../base/invariant';
import { type Format, write } from '../../facts/write';
import type { Lesson } from '../../lesson';
import type { Figures } from './figures';
import { forgetGuess, plotGuess } from './plot-guess';
import type { Progress } from './progress';
import { verdictOn, verdictOnChoice } from './verdict';

const FORMATS: readonly Format[] = ['bytes', 'count', 'time', 'percent', 'small', 'loss', 'plain', 'times', 'duration'];

export interface PredictionsOptions {
  readonly document: Document;
  readonly lesson: string;
  readonly table: () => Promise<Lesson>;
  readonly figures: Figures;
  readonly progress: Progress;
}

export function openPredictions({ document, lesson, table, figures, progress }: PredictionsOptions): void {
  for (const section of document.querySelectorAll<HTMLElement>('.predict[data-predict]')) {
    const id = section.dataset['predict'] ?? '';
    const show = async () => {
      const prediction = new Map(Object.entries((await table()).predictions)).get(id);
      if (!prediction?.answer.with) return;
      await (await figures.wake(prediction.answer.figure)).lead.show(prediction.answer.with);
    };
    const parts = partsOf(section);
    const known = progress.of(lesson)?.guesses.get(id);
    if (known !== undefined) reveal(parts, known);
    parts.form.addEventListener('input', () => writeGuess(parts));
    parts.form.addEventListener('submit', (event) => {
      event.preventDefault();
      const guess = guessOf(parts);
      if (guess === undefined) return;
      progress.guess(lesson, id, guess);
      reveal(parts, guess);
      // The button that was pressed is gone, and a keyboard would be back at the top of the page.
      parts.again.focus({ preventScroll: true });
      show().catch(() => undefined);
    });
    parts.again.addEventListener('click', () => {
      progress.guess(lesson, id, undefined);
      hide(parts);
    });
    writeGuess(parts);
  }
}

interface Parts {
  readonly section: HTMLElement;
  readonly form: HTMLFormElement;
  readonly answer: HTMLElement;
  readonly again: HTMLElement;
  /** The plot's pictures, for a wide page and for a phone. */
  readonly plots: readonly SVGSVGElement[];
  readonly right: number;
  readonly format: Format;
  readonly isChoice: boolean;
}

function partsOf(section: HTMLElement): Parts {
  const answer = must(section.querySelector<HTMLElement>('.predict-answer'), 'the answer of a prediction');
  return {
    section,
    form: must(section.querySelector('form'), 'the form of a prediction'),
    answer,
    again: must(section.querySelector<HTMLElement>('.predict-again'), 'a way to guess again'),
    plots: [...section.querySelectorAll<SVGSVGElement>('svg.plot')],
    right: Number(answer.dataset['answer']),
    format: FORMATS.find((format) => format === answer.dataset['format']) ?? 'plain',
    isChoice: section.querySelector('input[type="radio"]') !== null,
  };
}

/** Undefined if the reader has chosen none of the choices. */
function guessOf({ form, isChoice }: Parts): number | undefined {
  const field = form.querySelector<HTMLInputElement>(isChoice ? 'input[type="radio"]:checked' : 'input[type="range"]');
  return field ? Number(field.value) : undefined;
}

/** Shows the guess beside the slider while the reader drags it. */
function writeGuess(parts: Parts): void {
  const guess = guessOf(parts);
  const output = parts.form.querySelector('output');
  if (!output || guess === undefined || parts.isChoice) return;
  const words = write(guess, parts.format);
  output.textContent = words;
  parts.form.querySelector('input[type="range"]')?.setAttribute('aria-valuetext', words);
}

function wordsOf({ form, isChoice, format }: Parts, guess: number): string {
  if (!isChoice) return write(guess, format);
  return form.querySelector(`input[value="${guess}"]`)?.closest('label')?.textContent?.trim() ?? '';
}

function reveal(parts: Parts, guess: number): void {
  const { section, form, answer, right, format, isChoice, plots } = parts;
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLButtonElement>('input, button')) {
    if (field instanceof HTMLInputElement && field.type === 'radio') field.checked = Number(field.value) === guess;
    else if (field instanceof HTMLInputElement) field.value = String(guess);
    field.disabled = true;
  }
  writeGuess(parts);
  section.dataset['revealed'] = '';
  if (isChoice) section.dataset['right'] = String(guess === right);
  answer.hidden = false;
  const words = wordsOf(parts, guess);
  const place = section.querySelector('.predict-guess');
  if (place) place.textContent = words;
  const verdict = section.querySelector('.predict-verdict');
  if (verdict) verdict.textContent = isChoice ? verdictOnChoice(guess, right) : verdictOn(guess, right, format);
  if (!isChoice) for (const plot of plots) plotGuess(plot, guess, right, words);
}

function hide({ section, form, answer, plots }: Parts): void {
  answer.hidden = true;
  delete section.dataset['revealed'];
  delete section.dataset['right'];
  plots.forEach(forgetGuess);
  const fields = [...form.querySelectorAll<HTMLInputElement | HTMLButtonElement>('input, button')];
  for (const field of fields) field.disabled = false;
  for (const field of fields) if (field instanceof HTMLInputElement && field.type === 'radio') field.checked = false;
  fields[0]?.focus();
}
