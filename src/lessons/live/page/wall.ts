/**
 * The wall of lessons, live: the card that the reader points at, or reaches by Tab, runs a figure of its lesson in
 * place of the picture. On a touch screen, the card in the middle of the window does. The figure is a frame of the
 * playground (docs/embedding.md); only one exists at a time, and it ends with its worker when the reader goes on.
 * Nothing is fetched before, and nothing moves if the reader wants less motion.
 */

/** Readers who pass over a card do not start it. */
const REST_MS = 350;
/** The playground is laid out for this width, and drawn smaller. */
const LAID_OUT = 640;

interface Shown {
  readonly card: HTMLElement;
  readonly frame: HTMLIFrameElement;
  played: boolean;
}

export function openWall(page: Window): void {
  const { document } = page;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shown: Shown | undefined;
  const stop = () => {
    clearTimeout(timer);
    shown?.frame.remove();
    if (shown) delete shown.card.dataset['live'];
    shown = undefined;
  };
  const start = (card: HTMLElement) => {
    stop();
    if (page.matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    timer = setTimeout(() => {
      shown = { card, frame: frameIn(card), played: false };
      card.dataset['live'] = 'starting';
    }, REST_MS);
  };
  const cards = document.querySelectorAll<HTMLElement>('.card[data-run]');
  if (page.matchMedia('(hover: none)').matches) watchMiddle(cards, (card) => (card ? start(card) : stop()));
  for (const card of cards) {
    // A scrolling finger also enters and leaves cards.
    card.addEventListener('pointerenter', ({ pointerType }) => pointerType !== 'touch' && start(card));
    card.addEventListener('pointerleave', ({ pointerType }) => pointerType !== 'touch' && stop());
    card.addEventListener('focusin', ({ target }) => {
      if (target instanceof HTMLElement && target.matches(':focus-visible')) start(card);
    });
    card.addEventListener('focusout', stop);
  }
  page.addEventListener('message', ({ data, source }) => {
    if (!shown || source !== shown.frame.contentWindow || data?.type !== 'lockstep:state') return;
    if (data.state === 'loading') return;
    shown.card.dataset['live'] = 'running';
    if (shown.played || data.state !== 'paused') return;
    shown.played = true;
    play(shown.frame);
  });
}

/** Calls `say` whenever another card crosses the middle of the window; in a row of cards, with the first. */
function watchMiddle(cards: Iterable<HTMLElement>, say: (card: HTMLElement | undefined) => void): void {
  const crossing = new Set<Element>();
  let said: HTMLElement | undefined;
  const observer = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes)
        if (isIntersecting) crossing.add(target);
        else crossing.delete(target);
      const card = [...cards].find((own) => crossing.has(own));
      if (card !== said) say(card);
      said = card;
    },
    { rootMargin: '-49% 0px -49% 0px' },
  );
  for (const card of cards) observer.observe(card);
}

function frameIn(card: HTMLElement): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.className = 'miniature-live';
  frame.title = 'A figure of this lesson, running';
  frame.inert = true;
  const picture = card.querySelector('.miniature img');
  const [width, height] = [card.clientWidth, picture?.clientHeight ?? 0];
  frame.style.width = `${LAID_OUT}px`;
  frame.style.height = `${(height * LAID_OUT) / width}px`;
  frame.style.transform = `scale(${width / LAID_OUT})`;
  const theme = document.documentElement.dataset['theme'];
  frame.src = `../#${card.dataset['run']}${theme === undefined ? '' : `&theme=${theme}`}`;
  card.append(frame);
  return frame;
}

/** Presses the playground's key for Play. */
function play({ contentWindow, contentDocument }: HTMLIFrameElement): void {
  if (!contentWindow || !contentDocument) return;
  const { KeyboardEvent: Key } = contentWindow as Window & typeof globalThis;
  contentDocument.body.dispatchEvent(new Key('keydown', { key: ' ', code: 'Space', bubbles: true }));
}
