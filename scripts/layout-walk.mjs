/**
 * The combinations of window size, ranks, mode, preset and open panel in which the page is checked for texts and boxes
 * that do not fit, and the check itself. Used by the browser test of the layout (layout-walk.spec.ts) and by `npm run
 * gallery`. The page is opened once; a link leads it from one combination to the next.
 */

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{size: string, ranks: number, mode: string, preset: string, panel: string}} Combination */

export const FACTORS = {
  size: ['1920x1080', '1440x900', '1280x720', '1024x768', '390x844'],
  ranks: [1, 2, 4, 8, 16],
  mode: ['single', 'dp', 'ddp', 'mp', 'ps', 'pipeline'],
  preset: ['mlp', 'wideMlp', 'cnn', 'gpt'],
  panel: ['none', 'Buckets', 'stage table', 'events table', 'Memory', 'settings', 'a bug'],
};

/** The cursor is put at these fractions of the step: the start, forward, backward, a collective, the end. */
export const MOMENTS = [0.02, 0.35, 0.62, 0.8, 1];

/** @typedef {keyof typeof FACTORS} Factor */
const NAMES = /** @type {Factor[]} */ (Object.keys(FACTORS));
/** @param {Partial<Combination>} c @param {Factor} a @param {Factor} b */
const pairOf = (c, a, b) => `${a} ${c[a]}, ${b} ${c[b]}`;

/** Every combination. */
export function everyCombination() {
  return NAMES.reduce(
    (rows, name) => rows.flatMap((row) => FACTORS[name].map((value) => ({ ...row, [name]: value }))),
    /** @type {Partial<Combination>[]} */ ([{}]),
  ).map((c) => /** @type {Combination} */ (c));
}

/** Few combinations in which every two values of two factors meet at least once: greedy, always the same. */
export function pairwise() {
  const pairs = NAMES.flatMap((a, i) => NAMES.slice(i + 1).map((b) => /** @type {const} */ ([a, b])));
  /** A number for each pair of values of two factors. @type {Map<string, number>} */
  const numbers = new Map();
  const rows = everyCombination().map((combination) => ({
    combination,
    met: pairs.map(([a, b]) => {
      const pair = pairOf(combination, a, b);
      const number = numbers.get(pair) ?? numbers.size;
      numbers.set(pair, number);
      return number;
    }),
  }));
  const open = new Uint8Array(numbers.size).fill(1);
  const gain = (/** @type {readonly number[]} */ met) => met.reduce((sum, pair) => sum + (open[pair] ?? 0), 0);
  const chosen = [];
  while (open.includes(1)) {
    const best = rows.reduce((a, b) => (gain(b.met) > gain(a.met) ? b : a));
    for (const pair of best.met) open[pair] = 0;
    chosen.push(best.combination);
  }
  return chosen;
}

/** @param {Combination} c */
export const nameOf = ({ size, ranks, mode, preset, panel }) => `${size} ${ranks} ${mode} ${preset}, ${panel}`;

/** Runs in the page before its scripts: records the texts that each canvas has drawn since it was last cleared. */
export function keepTexts() {
  const written = new WeakMap();
  const proto = CanvasRenderingContext2D.prototype;
  const { clearRect, fillText } = proto;
  proto.clearRect = function (x, y, width, height) {
    written.set(this.canvas, []);
    return clearRect.call(this, x, y, width, height);
  };
  proto.fillText = function (text, x, y, ...rest) {
    const { a: scale, e, f, b } = this.getTransform();
    const { width, actualBoundingBoxAscent: up, actualBoundingBoxDescent: low } = this.measureText(text);
    const left = this.textAlign === 'center' ? x - width / 2 : this.textAlign === 'right' ? x - width : x;
    // Rotated text is not checked.
    if (b === 0)
      written.get(this.canvas)?.push({
        text,
        size: Number.parseFloat(/(\d+(\.\d+)?)px/.exec(this.font)?.[1] ?? '0') * scale,
        x: left * scale + e,
        y: (y - up) * scale + f,
        width: width * scale,
        height: (up + low) * scale,
      });
    return fillText.call(this, text, x, y, ...rest);
  };
  // In pixels of the page, not of the bitmap.
  const textsOf = (/** @type {HTMLCanvasElement} */ canvas) => {
    const by = canvas.getBoundingClientRect().width / canvas.width;
    return (written.get(canvas) ?? []).map((/** @type {Record<string, number> & {text: string}} */ w) =>
      Object.fromEntries(
        Object.entries(w).map(([key, value]) => [key, typeof value === 'number' ? value * by : value]),
      ),
    );
  };
  Reflect.set(window, 'textsOf', textsOf);
}

const WAIT = { timeout: 60_000 };
const SOON = { ...WAIT, polling: 50 };

/**
 * Shows a combination, one traced step of it, with its panel open.
 * @param {Page} page
 * @param {Combination} c
 */
export async function show(page, c) {
  const [width = 0, height = 0] = c.size.split('x').map(Number);
  await page.evaluate(() => {
    for (const open of document.querySelectorAll('details[open]')) open.removeAttribute('open');
    for (const sheet of document.querySelectorAll(':popover-open'))
      if (sheet instanceof HTMLElement) sheet.hidePopover();
  });
  await page.setViewportSize({ width, height });
  // With this net the mode may support fewer devices; the page says how many.
  for (let ranks = c.ranks; ranks > 0; ) ranks = await run(page, { ...c, ranks });
  await openPanel(page, c.panel);
}

/**
 * Opens the run of a combination and runs one step. Returns 0, or the largest number of ranks for which the net is
 * large enough.
 * @param {Page} page
 * @param {Combination} c
 */
async function run(page, c) {
  const bug = c.panel === 'a bug' ? '&bug=set-epoch' : '';
  const link = `preset=${c.preset}&mode=${c.mode}&world=${c.ranks}&device=cpu&compare=0&batch=16${bug}`;
  // A new seed each time, so that every combination starts a new run.
  const seed = await page.evaluate(() => 1 + Number(/seed=(\d+)/.exec(location.hash)?.[1] ?? 0));
  await page.evaluate(async (hash) => {
    location.hash = hash;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }, `#seed=${seed}&${link}`);
  const most = await opened(page);
  if (most > 0) {
    await dismissed(page);
    return most;
  }
  await page.getByRole('button', { name: 'Step iteration', exact: true }).and(page.locator(':enabled')).click(WAIT);
  await page.waitForFunction(
    () => {
      const step = document.querySelector('[role="status"][aria-label="Step"]')?.textContent ?? '';
      const play = document.querySelector('button[aria-label="Play"]');
      return play instanceof HTMLButtonElement && !play.disabled && step !== '0';
    },
    undefined,
    SOON,
  );
  const refused = await page.getByText('The link says').allTextContents();
  if (refused.length > 0) throw new Error(refused.join(' '));
  return 0;
}

/**
 * Waits until no notice says for how many devices the net is large enough; such a notice may disappear by itself.
 * @param {Page} page
 */
const dismissed = (page) =>
  page.waitForFunction(
    () => {
      const notices = document.querySelector('[aria-label="Notices"]');
      if (!/at most \d+ (?:devices|ranks?)/.test(notices?.textContent ?? '')) return true;
      for (const button of notices?.querySelectorAll('button') ?? [])
        if ((button.getAttribute('aria-label') ?? button.textContent) === 'Dismiss') button.click();
      return false;
    },
    undefined,
    SOON,
  );

/**
 * Waits until a new run can begin its first step, and then returns 0, or until a notice says for how many devices at
 * most the net is large enough. One function in the page does this, because a locator by text checks every element each
 * time.
 * @param {Page} page
 * @returns {Promise<number>}
 */
async function opened(page) {
  const found = await page.waitForFunction(
    () => {
      const notices = document.querySelector('[aria-label="Notices"]')?.textContent ?? '';
      const most = Number(/at most (\d+) (?:devices|ranks?)/.exec(notices)?.[1] ?? 0);
      const step = document.querySelector('[role="status"][aria-label="Step"]')?.textContent ?? '';
      const play = document.querySelector('button[aria-label="Play"]');
      const ready = play instanceof HTMLButtonElement && !play.disabled && step === '0';
      return (most > 0 || ready) && { most };
    },
    undefined,
    SOON,
  );
  return found.evaluate((value) => (value ? value.most : 0));
}

/**
 * @param {Page} page
 * @param {string} panel
 */
async function openPanel(page, panel) {
  if (panel === 'settings') {
    const button = page.getByRole('button', { name: 'Settings', exact: true });
    if (await button.isVisible()) await button.click();
    return;
  }
  const [region, text] =
    panel === 'Buckets'
      ? ['Timeline', 'Buckets']
      : panel === 'stage table'
        ? ['Stage', 'As a table']
        : panel === 'events table'
          ? ['Timeline', 'As a table']
          : ['', panel === 'Memory' ? 'Memory, tensor' : ''];
  if (text === '') return;
  // A pipeline's timeline is behind a tab.
  const tab = page.getByRole('tab', { name: 'Timeline', exact: true });
  if (region === 'Timeline' && (await tab.isVisible())) await tab.click();
  await page.evaluate(
    ([name, words]) => {
      const root = name ? document.querySelector(`section[aria-label="${name}"]`) : document;
      const found = [...(root?.querySelectorAll('summary') ?? [])].find((s) => s.textContent?.startsWith(words ?? ''));
      found?.click();
    },
    [region, text],
  );
}

/**
 * Puts the cursor at this fraction of the step, and waits until the stage is drawn.
 * @param {Page} page
 * @param {number} part
 */
export async function seek(page, part) {
  await page.evaluate(async (to) => {
    const slider = document.querySelector('input[aria-label="Scrub"]');
    if (!(slider instanceof HTMLInputElement)) return;
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
    set?.call(slider, String(Math.round(to * Number(slider.max))));
    for (const kind of ['input', 'change']) slider.dispatchEvent(new Event(kind, { bubbles: true }));
    // The other parts of the page follow the cursor within a tenth of a second.
    await new Promise((resolve) => setTimeout(resolve, 120));
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }, part);
}

/**
 * Sentences about everything that does not fit; empty if everything fits.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
export const faults = async (page) => [...(await faultsOfBar(page)), ...(await faultsBelowBar(page))];

/**
 * Checks only the bar, which takes a hundredth of the time.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
export function faultsOfBar(page) {
  return page.evaluate(() => {
    /** @type {string[]} */
    const found = [];
    const bar = document.querySelector('header');
    const parts = [...(bar?.children ?? [])].filter(
      (part) => part.getBoundingClientRect().width > 1 && getComputedStyle(part).position !== 'fixed',
    );
    const boxes = parts.map((part) => part.getBoundingClientRect());
    const middles = boxes.map((box) => box.top + box.height / 2);
    if (Math.max(...middles) - Math.min(...middles) > 12) found.push('the bar has more than one row');
    boxes.forEach((box, i) => {
      const next = boxes[i + 1];
      if (next && box.right > next.left + 1) found.push(`part ${i + 1} of the bar is over the next one`);
    });

    for (const control of document.querySelectorAll('header button, header select, header input')) {
      const box = control.getBoundingClientRect();
      if (box.width > 0 && (box.right > innerWidth + 1 || box.left < -1))
        found.push(`"${control.getAttribute('aria-label') ?? control.textContent}" of the bar is cut`);
    }
    return found;
  });
}

/** @param {Page} page @returns {Promise<string[]>} */
function faultsBelowBar(page) {
  return page.evaluate(() => {
    /** @typedef {{text: string, size: number, x: number, y: number, width: number, height: number}} Written */
    /** @type {string[]} */
    const found = [];
    const phone = innerWidth <= 720;
    const root = document.documentElement;
    if (root.scrollWidth > innerWidth) found.push(`the page is ${root.scrollWidth - innerWidth} px too wide`);
    if (!phone && root.scrollHeight > innerHeight) found.push(`the page is ${root.scrollHeight} px high`);

    /** @type {(canvas: HTMLCanvasElement) => Written[]} */
    const textsOf = Reflect.get(window, 'textsOf');
    for (const canvas of document.querySelectorAll('canvas')) {
      const name = canvas.getAttribute('aria-label')?.slice(0, 20) ?? 'a canvas';
      const box = canvas.getBoundingClientRect();
      if (box.width === 0) continue;
      const texts = textsOf(canvas).filter(({ text }) => text.trim() !== '');
      for (const t of texts) {
        if (t.size < 11) found.push(`"${t.text}" in ${name} has ${t.size} px`);
        if (t.x < -1 || t.y < -1 || t.x + t.width > box.width + 1 || t.y + t.height > box.height + 1)
          found.push(`"${t.text}" is outside of ${name}`);
      }
      texts.forEach((a, i) => {
        for (const b of texts.slice(i + 1)) {
          const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
          const down = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
          if (across > 1 && down > 1) found.push(`"${a.text}" is over "${b.text}" in ${name}`);
        }
      });
    }

    const stage = document.querySelector('section[aria-label="Stage"] canvas')?.getBoundingClientRect();
    const view = { right: innerWidth, bottom: phone ? innerHeight - 60 : innerHeight };
    if (!stage || stage.height < 150) found.push(`the stage is ${stage?.height ?? 0} px high`);
    else if (stage.bottom > view.bottom || stage.right > view.right || stage.left < 0) found.push('the stage is cut');
    if (phone && stage && stage.top > 120) found.push(`${stage.top} px are above the figure`);

    const inView = (/** @type {Element | null | undefined} */ element, /** @type {string} */ what) => {
      const box = element?.getBoundingClientRect();
      const holder = element?.closest('section')?.parentElement?.getBoundingClientRect();
      if (!box || box.width === 0) return found.push(`${what} is not there`);
      if (phone) return 0;
      const low = Math.min(view.bottom, holder?.bottom ?? view.bottom);
      return box.bottom > low + 1 || box.right > view.right + 1 ? found.push(`${what} is cut`) : 0;
    };
    for (const name of [
      'Bytes per rank',
      'Overlap',
      'Step time',
      'Replica divergence',
      'Difference from single device',
    ])
      inView(document.querySelector(`[role="status"][aria-label="${name}"]`), name);
    inView(document.querySelector('[aria-label="PyTorch code"]'), 'the code');
    // On a laptop's screen the numbers must be completely visible, unless a fold above them is open.
    const shares = document.querySelector('[aria-label="Where the step goes"]');
    const result = document.querySelector('section[aria-label="Result"]');
    const opened = result?.querySelector('details[open]');
    if (innerWidth >= 1440 && innerHeight >= 860 && shares && !opened) inView(shares, 'where the step goes');
    const scroller = result?.parentElement;
    if (!phone && scroller && scroller.scrollHeight > scroller.clientHeight + 1)
      if (!getComputedStyle(scroller).backgroundAttachment.includes('local'))
        found.push('nothing says that the result goes on below');

    const small = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!parent || !node.textContent?.trim() || !parent.checkVisibility()) continue;
      const size = Number.parseFloat(getComputedStyle(parent).fontSize);
      if (size < 11 && !['SUB', 'SUP', 'STYLE', 'SCRIPT'].includes(parent.tagName))
        small.add(`"${node.textContent.trim().slice(0, 30)}" has ${size} px`);
    }
    return [...found, ...small];
  });
}
