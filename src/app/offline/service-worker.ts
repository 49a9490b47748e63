/**
 * The service worker of the built site: stores all its files, so that the page works without a connection once it has
 * been loaded. It requests pages from the site first, so a reload gets the newest version; files of a version have a
 * hash in their names and come from the cache. Built separately as sw.js (scripts/offline.mjs), which knows the list of
 * files. Other requests, such as that for the newest version (boundary/site-version), go to the site.
 */

/** The used part of the browser's type, which TypeScript's library for pages lacks. */
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

/** Sent to the open pages (keep-offline.ts) if the browser has no room for the site. */
const NO_ROOM = 'lockstep-no-room';

declare const self: Scope;
/** Inserted by the build: the paths of all files, and a hash of their content. */
declare const LOCKSTEP_FILES: readonly string[];
declare const LOCKSTEP_VERSION: string;

/** How long to wait for a page before the stored one is shown. */
const PAGE_MS = 3000;
/** Keeps this version and the previous one, to which open pages may belong. */
const KEPT_VERSIONS = 2;

const { scope } = self.registration;
const prefix = `lockstep ${scope} `;
const cacheName = `${prefix}${LOCKSTEP_VERSION}`;
const page = new URL('index.html', scope).href;
const files = LOCKSTEP_FILES.map((file) => new URL(file, scope).href);
/** The folder in which every file has its hash in its name, so that files of both versions can be told apart. */
const assets = new URL('assets/', scope).href;
/** The lessons: not stored in advance; a page that a reader has opened is stored for the next time. */
const lessons = new URL('learn/', scope).href;

async function keep(cache: Cache, url: string): Promise<void> {
  const old = url === page ? undefined : await caches.match(url);
  // The page has no hash in its name, so the browser's own cache may have an older one.
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
    // An incomplete version is useless.
    await caches.delete(cacheName);
    if (isFull(error))
      for (const open of await self.clients.matchAll({ includeUncontrolled: true })) open.postMessage(NO_ROOM);
    throw error;
  }
}

async function dropOld(): Promise<void> {
  // The versions in the order of their creation.
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

/** Answers from the site and stores the answer; if the site does not answer, uses the stored one. */
async function seenLesson(request: Request): Promise<Response> {
  const cache = await caches.open(cacheName);
  try {
    const newest = await fetch(request);
    // If the browser has no room left, the lesson is shown without being stored.
    if (newest.ok) await cache.put(request.url, newest.clone()).catch(() => undefined);
    return newest;
  } catch (error) {
    const kept = await caches.match(request.url);
    if (kept) return kept;
    if (request.mode === 'navigate') return notSeen();
    throw error;
  }
}

/** A page of our own, because the browser's would say that the whole site cannot be reached. */
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
