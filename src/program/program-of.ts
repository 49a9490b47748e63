/** The Program of that key among those of a set. Called by runtimes and by whoever has a feed or a trace of one. */
import { must } from '../base/invariant';
import { type ProgramKey, programKey } from '../protocol/step-kind';
import type { Program } from './instruction';

export const findProgram = (programs: readonly Program[], key: ProgramKey): Program | undefined =>
  programs.find(({ kind }) => programKey(kind) === key);

export const programOf = (programs: readonly Program[], key: ProgramKey): Program =>
  must(findProgram(programs, key), `program ${key}`);
