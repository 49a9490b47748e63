/**
 * Whether the site is still the one that this page came from. A site that is replaced has files with other names, so
 * what the page has not fetched yet is gone. index.html is asked for anew, past every cache, and names the version that
 * is out now.
 */
export type SiteVersion =
  | 'same' // the site answers and is the version that runs here
  | 'newer' // the site answers with another version
  | 'unknown'; // no answer, or an answer from somebody else (a router's login page)

/** `html` is what the site answers; `entry` is the address of the script that this page began with. */
export function versionIn(html: string, entry: string): SiteVersion {
  const file = entry.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
  if (file !== '' && html.includes(`/${file}`)) return 'same';
  return /<title>\s*Lockstep/i.test(html) && /<script[^>]*\ssrc=/i.test(html) ? 'newer' : 'unknown';
}

/** Never rejects: no connection is an answer, too. */
export async function askSiteVersion(document: Document): Promise<SiteVersion> {
  // Not the script that only starts the worker (app/early): another version of the site may have the same.
  const entry = document.querySelector('script[type="module"][src]:not([async])')?.getAttribute('src') ?? '';
  try {
    const page = new URL(document.location.href);
    page.hash = '';
    const answer = await fetch(page, { cache: 'no-store' });
    return answer.ok ? versionIn(await answer.text(), entry) : 'unknown';
  } catch {
    return 'unknown';
  }
}
