/** Whether the user of this browser opens the page, or does something else, for the first time. */
const VISIT = 'lockstep-visited';

type Kept = { readonly localStorage: Pick<Storage, 'getItem' | 'setItem'> };

/** True only on the first call for each key, because the call itself is stored. */
export function isFirstTime(window: Kept, key: string): boolean {
  try {
    if (window.localStorage.getItem(key) !== null) return false;
    window.localStorage.setItem(key, '1');
    return true;
  } catch {
    // A browser that stores nothing would count every time as the first.
    return false;
  }
}

/** Called by main.tsx. */
export const isFirstVisit = (window: Kept): boolean => isFirstTime(window, VISIT);
