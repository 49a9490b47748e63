/** Whether this browser opens the page for the first time; asked once, since asking is a visit. Called by main.tsx. */
const KEY = 'lockstep-visited';

export function isFirstVisit(window: { readonly localStorage: Pick<Storage, 'getItem' | 'setItem'> }): boolean {
  try {
    if (window.localStorage.getItem(KEY) !== null) return false;
    window.localStorage.setItem(KEY, '1');
    return true;
  } catch {
    // A browser that keeps nothing would greet its user every time.
    return false;
  }
}
