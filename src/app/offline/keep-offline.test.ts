import { afterEach, expect, test, vi } from 'vitest';
import type { Notice } from '../../protocol/notice';
import type { SiteVersion } from '../boundary/site-version';
import { keepOffline, NEW_VERSION, NOT_STORED, type Site } from './keep-offline';

class FakeWorker extends EventTarget {
  state = 'installing';

  async become(state: string): Promise<void> {
    this.state = state;
    this.dispatchEvent(new Event('statechange'));
    await Promise.resolve();
    await Promise.resolve();
  }
}

class FakeRegistration extends EventTarget {
  installing: FakeWorker | null = null;
  updates = 0;

  async update(): Promise<void> {
    this.updates++;
  }

  finds(): FakeWorker {
    const worker = new FakeWorker();
    this.installing = worker;
    this.dispatchEvent(new Event('updatefound'));
    return worker;
  }
}

async function kept(version: SiteVersion, workers?: object) {
  const registration = new FakeRegistration();
  const said: Notice[] = [];
  const container = new EventTarget();
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const site = {
    workers: Object.assign(container, { register: async () => registration }, workers),
    script: new URL('https://example.org/site/sw.js'),
    document,
    version: async () => version,
    say: (notice: Notice) => said.push(notice),
  };
  await keepOffline(site as unknown as Site);
  return { registration, said, document, container };
}

afterEach(() => {
  vi.useRealTimers();
});

test('the page learns of a new version when all files of this version are stored', async () => {
  const { registration, said } = await kept('newer');
  const worker = registration.finds();
  await worker.become('installed');
  expect(said).toEqual([]);
  await worker.become('activated');
  expect(said).toEqual([NEW_VERSION]);
});

test('a page that already has this version does not learn of it, nor does a page on its first visit', async () => {
  const { registration, said } = await kept('same');
  await registration.finds().become('activated');
  expect(said).toEqual([]);
});

test('an open page asks again when it becomes visible, at most once an hour', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { registration, document } = await kept('same');
  document.dispatchEvent(new Event('visibilitychange'));
  expect(registration.updates).toBe(0);
  vi.advanceTimersByTime(3_600_001);
  document.dispatchEvent(new Event('visibilitychange'));
  document.dispatchEvent(new Event('visibilitychange'));
  expect(registration.updates).toBe(1);
});

test('a browser without service workers works as before', async () => {
  const refusing = { register: () => Promise.reject(new Error('The operation is insecure.')) };
  expect((await kept('newer', refusing)).said).toEqual([]);
  expect((await kept('newer', { register: async () => undefined })).said).toEqual([]);
});

test('the page says that the browser has no room for the site, once the service worker has met the limit', async () => {
  const { said, container } = await kept('same');
  container.dispatchEvent(Object.assign(new Event('message'), { data: 'anything else' }));
  expect(said).toEqual([]);
  container.dispatchEvent(Object.assign(new Event('message'), { data: 'lockstep-no-room' }));
  expect(said).toEqual([NOT_STORED]);
});
