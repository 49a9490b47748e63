/**
 * Dawn for Node learns that the GPU is done by asking again and again, each time in a setImmediate() that its native
 * code calls: one core does nothing but ask. Where the GPU is software it computes and compiles on these same cores,
 * and the asking took more than half of all the time. With this it asks a few times at once, and from then on every
 * millisecond. Called by tests that load Dawn, and by the command line on a software adapter. Not for the site: a
 * browser has no setImmediate().
 */

/** Asked at once, so that what is done within some microseconds is not waited for. */
const KEEN = 20;
const PATIENT = Symbol.for('lockstep.patientPolling');

type Callback = (...args: unknown[]) => void;
type Immediate = (callback: Callback, ...args: unknown[]) => unknown;

export interface PollingScope {
  setImmediate: Immediate;
  readonly setTimeout: (callback: Callback, milliseconds: number) => unknown;
}

/** Dawn's callbacks are native and have no name; those of JavaScript show their source. */
const isNative = (callback: Callback): boolean =>
  callback.name === '' && Function.prototype.toString.call(callback).includes('[native code]');

export function pollPatiently(scope: PollingScope = globalThis as unknown as PollingScope): void {
  if (PATIENT in scope.setImmediate) return;
  const { setImmediate: atOnce } = scope;
  let asked = 0;
  let asking = false;
  const patient: Immediate = (callback, ...args) => {
    if (!isNative(callback)) return atOnce(callback, ...args);
    // What is asked again while it is being asked is the same wait; another call begins one.
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
