/**
 * Dawn for Node polls the GPU until it is done, each time in a setImmediate() that its native code calls: polling keeps
 * one core busy. A software GPU computes and compiles on the same cores, and polling took more than half of the time.
 * This module lets Dawn poll a few times at once, then every millisecond. Called by tests that load Dawn, and by the
 * command line on a software adapter. The site does not use it: a browser has no setImmediate().
 */

/** Number of polls without a delay, for work that is done within some microseconds. */
const KEEN = 20;
const PATIENT = Symbol.for('lockstep.patientPolling');

type Callback = (...args: unknown[]) => void;
type Immediate = (callback: Callback, ...args: unknown[]) => unknown;

export interface PollingScope {
  setImmediate: Immediate;
  readonly setTimeout: (callback: Callback, milliseconds: number) => unknown;
}

/** Dawn's callbacks are native functions without a name; toString() of a JavaScript function shows its source. */
const isNative = (callback: Callback): boolean =>
  callback.name === '' && Function.prototype.toString.call(callback).includes('[native code]');

export function pollPatiently(scope: PollingScope = globalThis as unknown as PollingScope): void {
  if (PATIENT in scope.setImmediate) return;
  const { setImmediate: atOnce } = scope;
  let asked = 0;
  let asking = false;
  const patient: Immediate = (callback, ...args) => {
    if (!isNative(callback)) return atOnce(callback, ...args);
    // A call from within a poll continues the same wait; any other call begins a new one.
    asked = asking ? asked + 1 : 0;
    const ask = () => {
      asking = true;
      try {
        callback(...args);
      } finally {
        asking = false;
      }
    };
    return asked < KEEN ? atOnce(ask) : scope.setTimeout(ask, 1);
  };
  scope.setImmediate = Object.assign(patient, atOnce, { [PATIENT]: true });
}
