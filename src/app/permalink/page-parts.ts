/**
 * The parts of the page that a link can name, one row for each: `hide` takes a part away, `lock` keeps the reader from
 * changing it, and `open` opens a panel. A part can be hidden with its region or alone. docs/embedding.md has the same
 * names.
 */
const ROWS = {
  bar: { words: 'the whole bar', changes: true },
  mode: { words: 'parallel mode', changes: true },
  world: { words: 'number of ranks', changes: true },
  transport: { words: 'play and step buttons', changes: true },
  speed: { words: 'pace', changes: true },
  seed: { words: 'seed', changes: true },
  share: { words: 'Share' },
  checkpoints: { words: 'checkpoints', changes: true },
  lessons: { words: 'link to the lessons' },
  bugs: { words: 'museum of bugs' },
  lab: { words: 'collectives lab', changes: true },
  compare: { words: 'comparison of two runs' },
  recordings: { words: 'recordings of PyTorch' },
  setup: { words: 'the whole set-up', changes: true },
  presets: { words: 'presets', changes: true },
  data: { words: 'data', changes: true },
  model: { words: 'model', changes: true },
  training: { words: 'training settings', changes: true },
  cluster: { words: 'cluster settings', changes: true },
  buckets: { words: 'DDP buckets' },
  hardware: { words: 'modelled hardware', changes: true },
  failures: { words: 'failures', changes: true },
  stage: { words: 'stage' },
  timeline: { words: 'timeline' },
  result: { words: 'the whole result' },
  field: { words: 'decision field' },
  loss: { words: 'loss plot' },
  numbers: { words: 'numbers' },
  code: { words: 'PyTorch code' },
} as const satisfies Readonly<Record<string, PartRow>>;

interface PartRow {
  /** For the Share dialog. */
  readonly words: string;
  /** Something in the part can be changed; `lock` accepts other parts, too, but has no effect on them. */
  readonly changes?: true;
}

export type PagePart = keyof typeof ROWS;

export const PAGE_PARTS: Readonly<Record<PagePart, PartRow>> = ROWS;
const NAMES: readonly string[] = Object.keys(ROWS);

export const isPagePart = (name: string): name is PagePart => NAMES.includes(name);
export const PART_NAMES: readonly PagePart[] = NAMES.filter(isPagePart);

/** The panels that a link can open, by their names in `open`. */
export const PANELS = [
  'stage-table', // the table below the stage
  'events', // the table of the events on the timeline
  'buckets', // DDP’s buckets
  'bucket-table', // the table of the buckets, where they are open
  'memory', // memory, tensor by tensor; memory:2 of cuda:2
  'losses', // the table of the losses
  'devices', // the table of the devices
  'layer-table', // the table of the layers
  'growth', // how the difference from one device grows
] as const;
export type PanelName = (typeof PANELS)[number];

export const isPanel = (name: string): name is PanelName => PANELS.some((panel) => panel === name);
