/** The table of communication hooks: a file each; a new one is a row here and a variant in protocol/config/ddp. */
import { must } from '../../../base/invariant';
import type { Config } from '../../../protocol/config';
import { allreduce } from './allreduce';
import { bf16Compress } from './bf16-compress';
import type { CommHook } from './comm-hook';
import { fp16Compress } from './fp16-compress';
import { localSGD } from './local-sgd';
import { powerSGD } from './power-sgd/power-sgd';

const COMM_HOOKS: readonly CommHook[] = [allreduce, fp16Compress, bf16Compress, powerSGD, localSGD];

export const commHookOf = ({ ddp }: Config): CommHook =>
  must(
    COMM_HOOKS.find(({ name }) => name === ddp.commHook.type),
    ddp.commHook.type,
  );
