/**
 * The key-value store through which ranks find each other, in the meaning of c10d's Store.hpp: what one rank sets, the
 * others can wait for. Values are texts. An interface, since the store may live in another thread than the rank.
 * hash-store.ts is the implementation.
 */
export interface Store {
  set(key: string, value: string): Promise<void>;
  /** The value; waits until somebody has set it, at most for the timeout. */
  get(key: string): Promise<string>;
  /** Adds to the number under the key (0 where there is none) and returns the sum. */
  add(key: string, amount: number): Promise<number>;
  /** Resolves when all keys are there. */
  wait(keys: readonly string[], timeoutMs?: number): Promise<void>;
  /**
   * Sets `desired` if the value is `expected`; an absent key counts as expected '' alone. Returns what is there
   * afterwards, or `expected` where the key is absent and something was expected.
   */
  compareSet(key: string, expected: string, desired: string): Promise<string>;
  /** Whether it was there. */
  deleteKey(key: string): Promise<boolean>;
  /** Keys that have been set. (torch's TCPStore counts one of its own beside them.) */
  numKeys(): Promise<number>;
  /** Of get() and wait(). */
  setTimeout(timeoutMs: number): Promise<void>;
}
