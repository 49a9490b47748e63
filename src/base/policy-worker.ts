/**
 * Starts a worker under the page's Content Security Policy. If the host sends no headers, a worker fetched from it has
 * no policy, but a worker from a blob: URL inherits the page's. So the worker starts from a blob of one line, which
 * imports the real script. All workers of Lockstep start this way, except ranks that run a module of the user's
 * (distributed/launch).
 */
export type WorkerConstructor = new (url: URL, options: WorkerOptions & { readonly type: 'module' }) => Worker;

/**
 * Vite finds a worker's script only by the literal text `new Worker(new URL('...', import.meta.url)`, so the caller
 * writes them: `underPolicy((Worker) => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }))`.
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

/** Revokes the blob's URL as soon as the worker runs. */
const bootstrap = (script: URL): string =>
  `import ${JSON.stringify(script.href)};\nURL.revokeObjectURL(import.meta.url);\n`;
