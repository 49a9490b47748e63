/**
 * Stylesheets that could not be fetched. Vite fetches a panel's styles only once, even if that fails, so at the next
 * try the panel would have no styles. The entry of each page (main.tsx, and main.ts of the lessons) marks the links
 * that fail; a panel that is tried again fetches them anew.
 */
export function markFailedStyles(document: Document): void {
  const mark = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') target.dataset['failed'] = '';
  };
  // Such errors do not bubble.
  document.addEventListener('error', mark, true);
}

/**
 * Waits until all stylesheets of the page have come, and rejects when one has failed. While another panel fetches a
 * failed stylesheet again, Vite counts it as loaded: without this wait a panel would appear without it.
 */
export async function awaitStyles(document: Document): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')];
  await Promise.all(
    links.map((link) => {
      const failed = () => new Error(`${link.href} could not be loaded`);
      if (link.dataset['failed'] !== undefined) throw failed();
      if (link.sheet) return undefined;
      return new Promise((resolve, reject) => {
        link.addEventListener('load', resolve);
        link.addEventListener('error', () => reject(failed()));
      });
    }),
  );
}

/** Rejects when one of them fails again. */
export async function fetchFailedStyles(document: Document): Promise<void> {
  const failed = document.querySelectorAll<HTMLLinkElement>('link[data-failed]');
  await Promise.all(
    [...failed].map((link) => {
      const fresh = document.createElement('link');
      fresh.rel = 'stylesheet';
      fresh.crossOrigin = link.crossOrigin;
      const settled = new Promise((resolve, reject) => {
        fresh.addEventListener('load', resolve);
        fresh.addEventListener('error', () => reject(new Error(`${link.href} could not be loaded`)));
      });
      fresh.href = link.href;
      link.replaceWith(fresh);
      return settled;
    }),
  );
}
