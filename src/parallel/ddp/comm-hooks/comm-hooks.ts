/** The table of communication hooks: a file each; a new one is a row here and a variant in protocol/config/ddp. */
import { must } from '../../../base/invariant';
import type { Config } from '../../../protocol/config';
import { allreduce } from './allreduce';
import type { CommHook } from './comm-hook';

const COMM_HOOKS: readonly CommHook[] = [allreduce];

export const commHookOf = ({ ddp }: Config): CommHook =>
  must(
    COMM_HOOKS.find(({ name }) => name === ddp.commHook.type),
    ddp.commHook.type,
  );
