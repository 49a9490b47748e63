/**
 * `npm run soak`: trains 10,000 steps of every preset and changes mode and model 200 times, on the GPU that Dawn finds,
 * and collects garbage before each measurement. On a software adapter this takes hours; `-- --steps 500 --switches 24`
 * is shorter. CI runs a short form as one of the GPU tests.
 */
import { ensureInstalled } from './install.mjs';
import { readArguments } from './read-arguments.mjs';
import { runBin } from './run-bin.mjs';
import { vulkanEnvironment } from './software-vulkan.mjs';

const { values } = readArguments({
  command: 'npm run soak --',
  about:
    'Trains every preset for many steps and changes mode and model many times, on the GPU that Dawn finds. Fails if the heap or the GPU memory grows. Takes hours on a software adapter.',
  options: {
    steps: { value: 'N', default: '10000', positive: true, help: 'Number of steps to train every preset.' },
    switches: { value: 'N', default: '200', positive: true, help: 'Number of changes of mode and model.' },
  },
});
ensureInstalled();
const environment = vulkanEnvironment({ preferSoftware: false });
if (environment === undefined) {
  console.error('No Vulkan driver was found: install Chromium, or set LOCKSTEP_CHROMIUM to one.');
  process.exit(3);
}
const status = await runBin(
  'vitest',
  ['run', '--project', 'gpu', '--silent=false', '--reporter=verbose', 'src/training/soak.gpu.test.ts'],
  {
    ...environment,
    LOCKSTEP_SOAK_STEPS: values.steps,
    LOCKSTEP_SOAK_SWITCHES: values.switches,
    NODE_OPTIONS: '--expose-gc',
  },
);
process.exit(status);
