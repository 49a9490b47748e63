/** The values in the text and in the table that follow the run of a figure. */
import type { Facts } from '../../facts/facts';
import { formatOf, measure } from '../../facts/quantities';
import { type Format, write } from '../../facts/write';

/** How long a changed value is marked; one that changes all the time is marked at its first change. */
const MARKED_MS = 1000;

const isFormat = (text: string | undefined): text is Format =>
  text !== undefined && ['bytes', 'count', 'time', 'percent', 'small', 'loss', 'plain', 'times'].includes(text);

export function showValues(figure: HTMLElement, facts: Facts): void {
  const id = figure.dataset['figure'] ?? '';
  const own = `[data-value][data-figure="${CSS.escape(id)}"]:not([data-with])`;
  for (const element of document.querySelectorAll(own)) {
    const of = element.getAttribute('data-value') ?? '';
    const asked = element.getAttribute('data-format') ?? undefined;
    const value = measure(facts, of);
    if (value === undefined) continue;
    const text = write(value, isFormat(asked) ? asked : formatOf(of));
    if (text === element.textContent) continue;
    element.textContent = text;
    if (element.hasAttribute('data-changed')) continue;
    element.setAttribute('data-changed', '');
    setTimeout(() => element.removeAttribute('data-changed'), MARKED_MS);
  }
}
