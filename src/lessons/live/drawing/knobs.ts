/** The knobs of a drawing: choices, lists and sliders, and the button that plays a slider. */

const STEP_MS = 1100;
const CALM_STEP_MS = 2200;

export type OnTurn = (key: string, value: string) => void;

export function openKnobs(page: Window, figure: HTMLElement, onTurn: OnTurn): void {
  const form = figure.querySelector<HTMLFormElement>('.drawing-knobs');
  if (!form) return;
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) turned(target, onTurn);
  });
  for (const knob of form.querySelectorAll<HTMLElement>('[data-play]')) openPlay(page, figure, knob);
}

function turned(field: HTMLInputElement | HTMLSelectElement, onTurn: OnTurn): void {
  const key = field.closest<HTMLElement>('[data-knob]')?.dataset['knob'];
  if (key === undefined) return;
  if (field.type !== 'range') {
    onTurn(key, field.value);
    return;
  }
  const values = listOf(field, 'values');
  const index = Number(field.value);
  const words = (field.dataset['words'] ? listOf(field, 'words') : values)[index] ?? '';
  field.setAttribute('aria-valuetext', words);
  const output = field.closest('label')?.querySelector('output');
  if (output) output.textContent = words;
  onTurn(key, values[index] ?? '');
}

const listOf = (field: HTMLElement, name: 'values' | 'words'): readonly string[] =>
  JSON.parse(field.dataset[name] ?? '[]') as readonly string[];

/**
 * The play button: moves its slider step by step, from the start if the slider is at its end; stops when out of view.
 */
function openPlay(page: Window, figure: HTMLElement, knob: HTMLElement): void {
  const button = knob.querySelector('button');
  const slider = knob.querySelector<HTMLInputElement>('input[type="range"]');
  if (!button || !slider) return;
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    button.textContent = 'Play';
    figure.dataset['live'] = 'rest';
  };
  const turn = (to: number) => {
    slider.value = String(to);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const start = () => {
    if (slider.value === slider.max) turn(0);
    button.textContent = 'Pause';
    figure.dataset['live'] = 'playing';
    const calm = page.matchMedia('(prefers-reduced-motion: reduce)').matches;
    timer = setInterval(
      () => {
        if (slider.value === slider.max) stop();
        else turn(Number(slider.value) + 1);
      },
      calm ? CALM_STEP_MS : STEP_MS,
    );
  };
  button.addEventListener('click', () => (timer === undefined ? start() : stop()));
  slider.addEventListener('pointerdown', stop);
  new IntersectionObserver(([seen]) => {
    if (seen && !seen.isIntersecting) stop();
  }).observe(figure);
}
