/** Identifies the collective of a message within its Program. Called by code that groups messages by collective. */
import type { CollectiveRef } from '../protocol/trace';

/** Equal for the messages of one collective and for no others: each group counts its own. */
export const collectiveKey = ({ group, seq, op }: CollectiveRef): string => `${group?.id ?? 0} ${seq} ${op}`;
