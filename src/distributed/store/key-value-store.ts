/**
 * The key-value store through which ranks find each other, with the semantics of c10d's Store.hpp: ranks can wait for
 * values that others set. Values are texts. An interface, because the store may be in another thread than the rank.
 * hash-store.ts is the implementation.
 */
export interface Store {
  set(key: string, value: string): Promise<void>;
  /** The value; waits until a rank has set it, at most for the timeout. */
  get(key: string): Promise<string>;
  /** Adds to the number under the key (0 if absent) and returns the sum. */
  add(key: string, amount: number): Promise<number>;
  /** Resolves when all keys are set. */
  wait(keys: readonly string[], timeoutMs?: number): Promise<void>;
  /**
   * Sets `desired` if the value is `expected`; an absent key matches only expected ''. Returns the value afterwards, or
   * `expected` if the key is absent and something was expected.
   */
  compareSet(key: string, expected: string, desired: string): Promise<string>;
  /** Whether the key existed. */
  deleteKey(key: string): Promise<boolean>;
  /** Keys that have been set. (torch's TCPStore counts one of its own beside them.) */
  numKeys(): Promise<number>;
  /** Sets the timeout of get() and wait(). */
  setTimeout(timeoutMs: number): Promise<void>;
}
