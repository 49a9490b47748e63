/** Names of the kinds of drawings, apart from their code (kinds.ts): lesson.ts needs the names alone. */
export type KindName =
  | 'at-size'
  | 'launched-steps'
  | 'memory-over-time'
  | 'deal'
  | 'sixteen-bits'
  | 'two-ways'
  | 'loss-surface'
  | 'memory-and-time'
  | 'norm-statistics'
  | 'recording'
  | 'rendezvous';
