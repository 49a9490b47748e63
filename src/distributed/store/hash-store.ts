/**
 * The store itself: a map, and the clients that wait for its keys. Every TCPStore and FileStore of a cluster has one,
 * and every rank has its own client.
 */
import type { LockstepError } from '../../base/errors';
import { torchError } from '../torch-error';
import type { Store } from './key-value-store';

export const DEFAULT_TIMEOUT_MS = 300_000;

interface Waiter {
  readonly keys: readonly string[];
  resolve(): void;
  reject(error: LockstepError): void;
}

export class HashStore {
  private readonly values = new Map<string, string>();
  private readonly waiters = new Set<Waiter>();
  private closed: LockstepError | undefined;

  /** A client with a timeout of its own; its keys begin with `prefix`, as PrefixStore's do. */
  client(timeoutMs = DEFAULT_TIMEOUT_MS, prefix = ''): Store {
    let limitMs = timeoutMs;
    const full = (key: string): string => `${prefix}${key}`;
    const wait = (keys: readonly string[], ms = limitMs) => this.wait(keys.map(full), ms);
    return {
      set: async (key, value) => this.set(full(key), value),
      get: async (key) => {
        await wait([key]);
        return this.values.get(full(key)) ?? '';
      },
      add: async (key, amount) => {
        const text = this.values.get(full(key)) ?? '0';
        const sum = Number(text) + amount;
        if (!Number.isSafeInteger(sum))
          throw torchError(
            'RuntimeError',
            `add: the value of ${key} is no whole number: ${text}`,
            'Use set() and get() to store text.',
          );
        this.set(full(key), String(sum));
        return sum;
      },
      wait,
      compareSet: async (key, expected, desired) => {
        this.check();
        const found = this.values.get(full(key));
        if (found === undefined && expected !== '') return expected;
        if (found !== undefined && found !== expected) return found;
        this.set(full(key), desired);
        return desired;
      },
      deleteKey: async (key) => {
        this.check();
        return this.values.delete(full(key));
      },
      numKeys: async () => {
        this.check();
        return [...this.values.keys()].filter((key) => key.startsWith(prefix)).length;
      },
      setTimeout: async (ms) => {
        limitMs = ms;
      },
    };
  }

  /** Fails all waiting and later calls, because the rank that served the store has gone. */
  close(reason: string): void {
    this.closed ??= torchError('RuntimeError', reason, 'Rank 0 serves the store: it must outlive the others.');
    for (const waiter of this.waiters) waiter.reject(this.closed);
    this.waiters.clear();
  }

  private check(): void {
    if (this.closed) throw this.closed;
  }

  private set(key: string, value: string): void {
    this.check();
    this.values.set(key, value);
    for (const waiter of this.waiters) {
      if (!waiter.keys.every((wanted) => this.values.has(wanted))) continue;
      this.waiters.delete(waiter);
      waiter.resolve();
    }
  }

  private async wait(keys: readonly string[], timeoutMs: number): Promise<void> {
    this.check();
    if (keys.every((key) => this.values.has(key))) return;
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        keys,
        resolve: () => {
          clearTimeout(timer);
          resolve();
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      const timer = setTimeout(() => {
        this.waiters.delete(waiter);
        const missing = keys.filter((key) => !this.values.has(key));
        reject(
          torchError(
            'RuntimeError',
            `Socket Timeout: waited ${Math.round(timeoutMs)} ms for ${missing.length === 1 ? 'the key' : 'the keys'} ${missing.join(', ')}`,
            'No rank has set the key: the rank that sets it has not reached set() yet, or waits for something else.',
            { missing },
            'timeout',
          ),
        );
      }, timeoutMs);
      this.waiters.add(waiter);
    });
  }
}
