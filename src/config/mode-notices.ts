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
  const seen = new Set(own);
  const others = Object.values(FACES).flatMap(({ name, sections = [] }) =>
    sections.flatMap((section) => {
      if (seen.has(section)) return [];
      seen.add(section);
      const idle = given(config, section).filter((setting) => !saysRanks(setting, config, face));
      return idle.map((setting) => ({ setting, name }));
    }),
  );
  // The mode that nodes are most useful for.
  const nodesOf = face.oneDevice && nodes > 1 ? [{ setting: 'nodes', name: FACES.ddp.name }] : [];
  const idle = [...others, ...nodesOf];
  if (idle.length > 0)
    say(
      'other-mode',
      `${idle.map(({ setting }) => setting).join(', ')} ${idle.length === 1 ? 'has' : 'have'} no effect in mode ${face.name}.`,
      `Used in: ${[...new Set(idle.map(({ name }) => name))].join(', ')}.`,
    );
  if (resume === undefined && resumeBy !== DEFAULT_CONFIG.resumeBy)
    say(
      'no-effect-resume-by',
      'resumeBy has no effect: the run does not resume a checkpoint.',
      'Name a checkpoint in resume.',
    );
  return notices;
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
