/** Errors of the session's calls cross the worker wall as wire errors. Called by session.ts. */
import { toWire } from '../base/errors';

type Call = (...given: unknown[]) => Promise<unknown>;

/** The same calls; every error that they throw is a wire error. */
export const withWireErrors = <Api extends object>(calls: Api): Api =>
  Object.fromEntries(
    Object.entries(calls).map(([name, call]: [string, Call]): [string, Call] => [
      name,
      async (...given) => {
        try {
          return await call(...given);
        } catch (error) {
          throw toWire(error);
        }
      },
    ]),
  ) as Api;
