/** The Program with that key in a set. Called by runtimes and by code that has a feed or a trace of a Program. */
import { must } from '../base/invariant';
import { type ProgramKey, programKey } from '../protocol/step-kind';
import type { Program } from './instruction';

export const findProgram = (programs: readonly Program[], key: ProgramKey): Program | undefined =>
  programs.find(({ kind }) => programKey(kind) === key);

export const programOf = (programs: readonly Program[], key: ProgramKey): Program =>
  must(findProgram(programs, key), `program ${key}`);
