/**
 * Finds the Python of this machine that has PyTorch: LOCKSTEP_PYTHON names it; otherwise the interpreters of the path
 * and of the system are tried. Called by `lockstep train --engine torch`, by tests, and by the scripts that prepare and
 * sum up the tests.
 */
import { spawnSync } from 'node:child_process';

/** Reads torch's version without importing torch, because the import takes two seconds. */
const ASK = `import importlib.util, json, os, runpy, sys
spec = importlib.util.find_spec('torch')
if spec is None or not spec.submodule_search_locations: sys.exit('it has no torch')
home = list(spec.submodule_search_locations)[0]
version = runpy.run_path(os.path.join(home, 'version.py'))['__version__']
part = os.path.join(home, *sys.argv[1].split('.')[1:])
if not os.path.exists(part) and not os.path.exists(part + '.py'): sys.exit(f'its torch {version} has no {sys.argv[1]}')
print(json.dumps({"path": sys.executable, "torch": version, "python": sys.version.split()[0]}))`;

/**
 * @typedef {object} TorchPython
 * @property {string} command as it was called: 'python3', '/usr/bin/python3'
 * @property {string} path its own
 * @property {string} torch '1.13.0a0+git7c98e70', '2.6.0+cu124'
 * @property {string} python '3.11.2'
 */

/** In the order in which they are tried. */
export const pythonCandidates = (named = process.env['LOCKSTEP_PYTHON']) =>
  named ? [named] : ['python3', '/usr/bin/python3', 'python'];

/**
 * The first interpreter that has this module of torch, and the problems of the interpreters tried before it.
 *
 * @param {string} [module]
 * @param {readonly string[]} [candidates]
 * @returns {{found: TorchPython | undefined, problems: string[]}}
 */
export function findTorch(module = 'torch.distributed', candidates = pythonCandidates()) {
  /** @type {string[]} */
  const problems = [];
  for (const command of candidates) {
    const { error, status, stdout, stderr } = spawnSync(command, ['-c', ASK, module], { encoding: 'utf8' });
    if (!error && status === 0) {
      const said = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
      return { found: { command, path: said.path, torch: said.torch, python: said.python }, problems };
    }
    problems.push(
      `${command}: ${error ? 'no such program' : stderr.trim().split('\n').at(-1) || `ended with status ${status}`}`,
    );
  }
  return { found: undefined, problems };
}

/**
 * Says in large letters which tests did not run because a module of torch is missing.
 *
 * @param {string} what
 * @param {{module?: string, more?: readonly string[]}} [about]
 */
export function noTorchBanner(what, { module = 'PYTORCH', more = [] } = {}) {
  const line = '*'.repeat(100);
  return [
    '',
    line,
    `NO ${module} ON THIS MACHINE: ${what}`,
    ...more,
    'Install torch for python3 (Debian: apt-get install python3-torch), or name an interpreter that has it:',
    'LOCKSTEP_PYTHON=/path/to/python.',
    line,
    '',
  ].join('\n');
}
