/**
 * Checks whether the site still has this page's version. A new version has files with other names, so files that the
 * page has not fetched yet are gone. Fetches index.html again, bypassing all caches, because it names the current
 * version.
 */
export type SiteVersion =
  | 'same' // the site answers and is the version that runs here
  | 'newer' // the site answers with another version
  | 'unknown'; // no answer, or an answer from somebody else (a router's login page)

/** `html`: the site's current index.html; `entry`: the address of this page's entry script. */
export function versionIn(html: string, entry: string): SiteVersion {
  const file = entry.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
  if (file !== '' && html.includes(`/${file}`)) return 'same';
  return /<title>\s*Lockstep/i.test(html) && /<script[^>]*\ssrc=/i.test(html) ? 'newer' : 'unknown';
}

/** Never rejects: without a connection the answer is 'unknown'. */
export async function askSiteVersion(document: Document): Promise<SiteVersion> {
  // Skips the script that only starts the worker (app/early), which may be the same in different versions.
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
