/**
 * The import walls. A room of src/ imports only from rooms in lines above its own in this table; rooms in one line do
 * not import each other. `only` restricts some rooms further. Tests may import from any room, because they compare
 * rooms with each other.
 */
const rooms = [
  ['base'],
  ['protocol'],
  ['mesh', 'shapes', 'schedules'],
  ['tensor'],
  ['sharding'],
  ['graph'],
  ['nn', 'optim'],
  ['data'],
  ['program'],
  ['collectives'],
  ['trace'],
  ['reports', 'recordings'],
  ['interop'],
  ['parallel'],
  ['runtime'],
  ['distributed'],
  ['simulator'],
  ['sizing'],
  ['launch'],
  ['config'],
  ['training'],
  ['inference'],
  ['lab', 'museum'],
  ['headless'],
  ['session', 'bench'],
  ['app', 'cli'],
  ['lessons'],
];

const only = {
  schedules: ['base', 'protocol'],
  trace: ['base', 'protocol'],
  reports: ['base', 'protocol'],
  recordings: ['base', 'protocol'],
  app: [
    'base',
    'protocol',
    'shapes',
    'schedules',
    'trace',
    'reports',
    'recordings',
    'launch',
    'config',
    'training',
    'lab',
    'museum',
    'session',
  ],
  cli: [
    'base',
    'protocol',
    'schedules',
    'trace',
    'reports',
    'recordings',
    'launch',
    'config',
    'training',
    'session',
    'headless',
    'bench',
  ],
  lessons: [
    'base',
    'protocol',
    'schedules',
    'trace',
    'recordings',
    'sizing',
    'tensor',
    'distributed',
    'inference',
    'museum',
    'interop',
    'session',
    'app',
  ],
};

/** The npm packages that are built into the site, so the package of Lockstep does not depend on them. */
const bundled = [
  'comlink',
  'd3-scale',
  'd3-scale-chromatic',
  'fast-png',
  'fastest-levenshtein',
  'fflate',
  'idb',
  'react',
  'react-dom',
  'react-error-boundary',
  'shell-quote',
  'uplot',
  'valibot',
  'zustand',
];

/**
 * A mode is one folder of parallel/: its compiler, and its face (names, words, settings), which the page shows before
 * any session. A long face has further files, such as face-fit.ts and face-size.ts. The page and the command line
 * import the faces and not the compilers, and a face imports nothing large.
 */
const faces = 'src/parallel/(face|faces|fits|strategies|[^/]+/(face|face-fit|face-size))[.]ts$';
const seeFaces = ['app', 'cli'];

/** A function of settings only, which the page loads on request; the worker does not need it. */
const scripts = 'src/interop/tensorflow/script[.]ts$';

/**
 * The folders of the page, in the same way: a folder imports only from lines above its own. The order is: text and
 * drawing, state, the run, controls, the parts of the page, the page.
 */
const storeys = [
  ['asking', 'draw', 'model', 'pace', 'stored'],
  ['edit', 'lanes'],
  ['permalink'],
  ['state'],
  ['transport'],
  ['address'],
  ['run'],
  ['fields', 'terms'],
  ['boundary', 'looks', 'launch', 'share'],
  ['buckets', 'files', 'memory', 'museum', 'notices', 'offline'],
  ['checkpoint', 'failures', 'take'],
  ['picture', 'setup'],
  ['lab', 'pipeline', 'recordings', 'stage'],
  ['timeline'],
  ['bar'],
  ['result'],
  ['compare'],
  ['reports'],
  ['shell'],
];

const tests = '\\.test\\.tsx?$|/fixtures/|/testing/';
const all = rooms.flat();

const walls = rooms.flatMap((line, index) =>
  line.map((room) => {
    const allowed = [room, ...(only[room] ?? rooms.slice(0, index).flat())];
    const faceToo = seeFaces.includes(room) ? `|^${faces}|^${scripts}` : '';
    return {
      name: `wall-${room}`,
      comment: `${room} may import only: ${allowed.join(', ')}`,
      severity: 'error',
      from: { path: `^src/${room}/`, pathNot: tests },
      to: { path: '^src/', pathNot: `^src/(${allowed.join('|')})/${faceToo}` },
    };
  }),
);

const insideApp = storeys.flatMap((line, index) =>
  line.map((folder) => {
    const allowed = [folder, ...storeys.slice(0, index).flat()];
    return {
      name: `storey-${folder}`,
      comment: `app/${folder} may import, of app/, only: ${allowed.join(', ')}`,
      severity: 'error',
      from: { path: `^src/app/${folder}/`, pathNot: tests },
      to: { path: '^src/app/', pathNot: `^src/app/(${allowed.join('|')})/` },
    };
  }),
);

module.exports = {
  forbidden: [
    ...walls,
    ...insideApp,
    {
      name: 'known-storey',
      comment: 'Every folder of the page is in the table.',
      severity: 'error',
      from: { path: '^src/app/[^/]+/', pathNot: `^src/app/(${storeys.flat().join('|')})/|${tests}` },
      to: {},
    },
    {
      name: 'faces-are-light',
      severity: 'error',
      from: { path: `^${faces}` },
      to: { path: '^src/', pathNot: `^src/(base|protocol)/|^${faces}` },
    },
    {
      name: 'known-room',
      comment: 'Every file of src/ lies in a room of the table.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(${all.join('|')})/` },
      to: {},
    },
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^virtual:|\\?' } },
    {
      name: 'react-only-in-app',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(app|lessons)/' },
      to: { path: '^node_modules/(react|react-dom|zustand|uplot|@base-ui|d3-[a-z-]+)/' },
    },
    {
      name: 'engine-in-lessons-at-build',
      comment: 'Pictures of the lessons that need the engine are recorded when the site is built (lessons/record).',
      severity: 'error',
      from: { path: '^src/lessons/', pathNot: `^src/lessons/record/|${tests}` },
      to: { path: '^src/(tensor|distributed|inference|interop)/' },
    },
    {
      name: 'node-only-in-cli',
      comment: 'The engine runs in a browser: only the command line knows Node.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/cli/|${tests}` },
      to: { dependencyTypes: ['core'] },
    },
    {
      // The packages that are bundled into the site and the command line; all other packages are tools. The pages of
      // the lessons are rendered in Node when the site is built.
      name: 'only-these-packages-in-the-bundles',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(cli|lessons/page)/|${tests}` },
      to: {
        path: '^node_modules/',
        pathNot: `^node_modules/(${bundled.join('|')})/`,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'scripts-only-for-cli',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/cli/|${tests}` },
      to: { path: '^(scripts|bin|bench|e2e)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
