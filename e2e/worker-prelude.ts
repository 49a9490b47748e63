/**
 * Runs a script in every worker before the worker's own script, as addInitScript does for pages. Training runs in
 * workers, so a test must simulate a browser without WebGPU, or with a lost device, inside the workers.
 */
import type { Page } from '@playwright/test';

export async function addWorkerPrelude(page: Page, script: string): Promise<void> {
  await page.addInitScript((prelude) => {
    const Original = globalThis.Worker;
    const toUrl = (code: string): string => URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
    // Imports are evaluated in order, and messages wait until all imports are evaluated.
    globalThis.Worker = class extends Original {
      constructor(url: string | URL, options?: WorkerOptions) {
        const own = new URL(url, document.baseURI).href;
        const code = `import ${JSON.stringify(toUrl(prelude))};\nimport ${JSON.stringify(own)};`;
        super(toUrl(code), { ...options, type: 'module' });
      }
    };
  }, script);
}

export const WITHOUT_WEBGPU = `Object.defineProperty(Object.getPrototypeOf(navigator), 'gpu', { value: undefined });`;

/** There is a navigator.gpu, but requestAdapter() returns no adapter, as with a blocked driver. */
export const WITHOUT_ADAPTER = `GPU.prototype.requestAdapter = async () => null;`;

/** Kernels compile only when the page calls compileNow(), as with a slow driver. */
export const COMPILES_LATE = `
const told = new Promise((go) => { new BroadcastChannel('compile').onmessage = go; });
const compile = GPUDevice.prototype.createComputePipelineAsync;
GPUDevice.prototype.createComputePipelineAsync = function (described) { return told.then(() => compile.call(this, described)); };
`;

export const compileNow = (page: Page): Promise<void> =>
  page.evaluate(() => new BroadcastChannel('compile').postMessage('now'));
