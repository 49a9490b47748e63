/**
 * Starts a worker under the page's Content Security Policy. A host that sets no headers gives a worker that is fetched
 * from it no policy; one from a blob: URL takes the policy of whoever starts it. So the worker begins as a blob of one
 * line, which imports the real script. Called wherever a worker of our own starts; ranks that run a module of the
 * user's (distributed/launch) are started without.
 */
export type WorkerConstructor = new (url: URL, options: WorkerOptions & { readonly type: 'module' }) => Worker;

/**
 * Vite finds a worker's script by the very words `new Worker(new URL('...', import.meta.url)`, so the caller writes
 * them:
 * `underPolicy((Worker) => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }))`.
 */
export function underPolicy(start: (Worker: WorkerConstructor) => Worker): Worker {
  return start(
    class extends globalThis.Worker {
      constructor(script: URL, options: WorkerOptions) {
        super(URL.createObjectURL(new Blob([bootstrap(script)], { type: 'text/javascript' })), options);
      }
    },
  );
}

/** The blob is needed no longer once it runs. */
const bootstrap = (script: URL): string =>
  `import ${JSON.stringify(script.href)};\nURL.revokeObjectURL(import.meta.url);\n`;
