/** One notice that lists settings that have no effect in the current mode. Called by config-notices.ts. */
import { lookup } from '../base/lookup';
import type { Face } from '../parallel/face';
import { FACES } from '../parallel/faces';
import { type Config, DEFAULT_CONFIG } from '../protocol/config';
import type { Notice } from '../protocol/notice';

type Section = NonNullable<Face['sections']>[number];
/** The page gives a small cap to every run, in every mode, so that a change to DDP gives several buckets. */
const ALWAYS_GIVEN = 'ddp.bucketCapMb';

export function modeNotices(config: Config, face: Face): readonly Notice[] {
  const { resume, resumeBy, nodes } = config;
  const notices: Notice[] = [];
  const say = (id: string, text: string, hint: string) => notices.push({ level: 'info', id, text, hint });
  const own: ReadonlySet<Section> = new Set(face.sections);
  const others = [...new Set(Object.values(FACES).flatMap(({ sections = [] }) => sections))].flatMap((section) =>
    own.has(section)
      ? []
      : given(config, section)
          .filter((setting) => !saysRanks(setting, config, face))
          .map((setting) => ({ setting, modes: modesWith(section, setting) })),
  );
  const severalDevices = namesOf(({ oneDevice }) => !oneDevice);
  const idle = [...others, ...(face.oneDevice && nodes > 1 ? [{ setting: 'nodes', modes: severalDevices }] : [])];
  if (idle.length > 0)
    say(
      'other-mode',
      `${idle.map(({ setting }) => setting).join(', ')} ${idle.length === 1 ? 'has' : 'have'} no effect in mode ${face.name}.`,
      whereUsed(idle),
    );
  if (resume === undefined && resumeBy !== DEFAULT_CONFIG.resumeBy)
    say(
      'no-effect-resume-by',
      'resumeBy has no effect: the run does not resume a checkpoint.',
      'Name a checkpoint in resume.',
    );
  return notices;
}

interface IdleSetting {
  readonly setting: string;
  /** Names of the modes that use the setting. */
  readonly modes: string;
}

const namesOf = (has: (face: Face) => boolean): string =>
  Object.values(FACES)
    .filter(has)
    .map(({ name }) => name)
    .join(', ');

function modesWith(section: Section, setting: string): string {
  if (section === 'mesh') return namesOf(({ axes = [] }) => axes.some((axis) => setting === `mesh.${axis}`));
  const reads = ({ sections = [] }: Face) => sections.includes(section);
  if (section !== 'ddp') return namesOf(reads);
  // The other modes wrap a part of the model in DDP, or use only DDP's samplers.
  const { ddp } = FACES;
  return `${ddp.name} (the modes ${namesOf((face) => face !== ddp && reads(face))} use some of DDP’s settings)`;
}

/** 'Used in: pipeline.', or one sentence for each list of modes. */
function whereUsed(idle: readonly IdleSetting[]): string {
  const lists = [...new Set(idle.map(({ modes }) => modes))];
  if (lists.length === 1) return `Used in: ${lists[0]}.`;
  const sentences = lists.map((modes) => {
    const settings = idle.filter((one) => one.modes === modes).map(({ setting }) => setting);
    return `${settings.join(', ')}: used in ${modes}.`;
  });
  return sentences.join(' ');
}

/** Whether a mesh size just repeats the number of ranks: mesh.dpReplicate equal to mode ddp's number of replicas. */
const saysRanks = (setting: string, { mesh, worldSize }: Config, { axes = [] }: Face): boolean =>
  axes.some((axis) => setting === `mesh.${axis}` && mesh[axis] === worldSize);

/** Settings that differ from the defaults: 'ddp.join' ... */
function given(config: Config, section: Section): string[] {
  const own: Readonly<Record<string, unknown>> = config[section];
  const usual: Readonly<Record<string, unknown>> = DEFAULT_CONFIG[section];
  return Object.keys(own)
    .filter(
      (key) =>
        lookup(own, key) !== undefined && JSON.stringify(lookup(own, key)) !== JSON.stringify(lookup(usual, key)),
    )
    .map((key) => `${section}.${key}`)
    .filter((name) => name !== ALWAYS_GIVEN);
}
