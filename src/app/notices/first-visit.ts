/** Whether this browser opens the page for the first time, or does something else for the first time. */
const VISIT = 'lockstep-visited';

type Kept = { readonly localStorage: Pick<Storage, 'getItem' | 'setItem'> };

/** True once for each key: asking is what is remembered. */
export function isFirstTime(window: Kept, key: string): boolean {
  try {
    if (window.localStorage.getItem(key) !== null) return false;
    window.localStorage.setItem(key, '1');
    return true;
  } catch {
    // A browser that stores nothing would be told every time.
    return false;
  }
}

/** Called by main.tsx. */
export const isFirstVisit = (window: Kept): boolean => isFirstTime(window, VISIT);
