/**
 * The service worker of the built site: keeps every file of it, so that the page works without a connection once it has
 * been loaded. A page is asked of the site first, so a reload gets the newest version; what belongs to a version has
 * its hash in its name and comes from the cache. Built by itself as sw.js (scripts/offline.mjs), which knows the list
 * of files. Nothing else is answered here: the question for the newest version (boundary/site-version) goes to the
 * site.
 */

/** What is used of the browser's own type, which a project for pages does not have. */
interface Scope {
  readonly registration: { readonly scope: string };
  readonly clients: {
    claim(): Promise<void>;
    matchAll(which: { includeUncontrolled: true }): Promise<readonly { postMessage(message: unknown): void }[]>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listen: (event: Lasting) => void): void;
  addEventListener(type: 'fetch', listen: (event: Fetching) => void): void;
}
interface Lasting {
  waitUntil(done: Promise<unknown>): void;
}
interface Fetching {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

/** Told to the open pages (keep-offline.ts) when the browser gives the site no room. */
const NO_ROOM = 'lockstep-no-room';

declare const self: Scope;
/** Put in by the build: the paths of all files, and a hash over what is in them. */
declare const LOCKSTEP_FILES: readonly string[];
declare const LOCKSTEP_VERSION: string;

/** How long a page is waited for before the one that was kept is shown. */
const PAGE_MS = 3000;
/** This version's and the one before: pages that are open may be of that one. */
const KEPT_VERSIONS = 2;

const { scope } = self.registration;
const prefix = `lockstep ${scope} `;
const cacheName = `${prefix}${LOCKSTEP_VERSION}`;
const page = new URL('index.html', scope).href;
const files = LOCKSTEP_FILES.map((file) => new URL(file, scope).href);
/** Everything in it has its hash in its name, this version's and that of a page which was opened before. */
const assets = new URL('assets/', scope).href;
/** The lessons: the playground keeps none of them; what a reader has seen is kept for the next time. */
const lessons = new URL('learn/', scope).href;

async function keep(cache: Cache, url: string): Promise<void> {
  const old = url === page ? undefined : await caches.match(url);
  // The page has no hash in its name, so an older one may lie in the browser's own cache.
  const response = old ?? (await fetch(url, url === page ? { cache: 'reload' } : {}));
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  await cache.put(url, response);
}

const isFull = (error: unknown): boolean => error instanceof Error && error.name === 'QuotaExceededError';

async function keepAll(): Promise<void> {
  const cache = await caches.open(cacheName);
  try {
    await Promise.all(files.map((url) => keep(cache, url)));
  } catch (error) {
    // Half a version is none.
    await caches.delete(cacheName);
    if (isFull(error))
      for (const open of await self.clients.matchAll({ includeUncontrolled: true })) open.postMessage(NO_ROOM);
    throw error;
  }
}

async function dropOld(): Promise<void> {
  // In the order in which they were made.
  const versions = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== cacheName);
  await Promise.all(versions.slice(0, 1 - KEPT_VERSIONS).map((name) => caches.delete(name)));
}

async function newestPage(request: Request): Promise<Response> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PAGE_MS, undefined));
  const newest = fetch(request);
  const came = await Promise.race([newest, late]).catch(() => undefined);
  return came ?? (await (await caches.open(cacheName)).match(page)) ?? newest;
}

const keptFile = async (request: Request): Promise<Response> => (await caches.match(request.url)) ?? fetch(request);

/** From the site where that answers, and then kept; else as it was the last time. */
async function seenLesson(request: Request): Promise<Response> {
  const cache = await caches.open(cacheName);
  try {
    const newest = await fetch(request);
    // Where the browser has no room left, the lesson is shown all the same.
    if (newest.ok) await cache.put(request.url, newest.clone()).catch(() => undefined);
    return newest;
  } catch (error) {
    const kept = await caches.match(request.url);
    if (kept) return kept;
    if (request.mode === 'navigate') return notSeen();
    throw error;
  }
}

/** Instead of the browser's own page, which says that the whole site cannot be reached. */
const notSeen = (): Response =>
  new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>No connection · Lockstep</title>
<body style="font: 17px/1.5 sans-serif; max-width: 34em; margin: 12vh auto; padding: 0 20px">
<h1 style="font: 600 26px serif">There is no connection</h1>
<p>This browser has not kept this page: it keeps the lessons that you have opened before. The playground works without a
connection.</p>
<p><a href="${scope}">Open the playground</a></p>`,
    { status: 503, headers: { 'content-type': 'text/html; charset=utf-8' } },
  );

const isPage = (url: string): boolean => url === scope || url === page;

self.addEventListener('install', (event) => event.waitUntil(Promise.all([keepAll(), self.skipWaiting()])));
self.addEventListener('activate', (event) => event.waitUntil(Promise.all([dropOld(), self.clients.claim()])));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = request.url.replace(/[?#].*$/, '');
  if (request.method !== 'GET') return;
  if (url.startsWith(lessons)) event.respondWith(seenLesson(request));
  else if (request.mode === 'navigate') {
    if (isPage(url)) event.respondWith(newestPage(request));
  } else if (url.startsWith(assets)) event.respondWith(keptFile(request));
});

export {};
