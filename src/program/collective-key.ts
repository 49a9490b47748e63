/** Which collective a message belongs to, within its Program. Called by who sorts or joins messages by collective. */
import type { CollectiveRef } from '../protocol/trace';

/** Equal for the messages of one collective and for no others: each group counts its own. */
export const collectiveKey = ({ group, seq, op }: CollectiveRef): string => `${group?.id ?? 0} ${seq} ${op}`;
