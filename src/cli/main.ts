/** Entry of the command line: finds the command, runs it, turns errors into a sentence and an exit status. */
import { isWireError, LockstepError, toWire } from '../base/errors';
import { EXIT, exitCode } from './exit-code';
import { configJsonSchema } from './schema';
import { train } from './train';
import { helpText, parseCommand } from './usage';

async function run(args: readonly string[]): Promise<number> {
  const command = parseCommand(args);
  switch (command.name) {
    case 'help':
      process.stdout.write(helpText());
      return EXIT.ok;
    case 'schema':
      process.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
      return EXIT.ok;
    case 'train': {
      const abort = new AbortController();
      // The first Ctrl+C stops after the step that runs and still writes the report; a second one ends the process.
      process.once('SIGINT', () => abort.abort());
      return train(command.options, abort.signal);
    }
  }
}

const status = await run(process.argv.slice(2)).catch((error: unknown) => {
  const known = error instanceof LockstepError || isWireError(error);
  const wire = isWireError(error) ? error : toWire(error);
  process.stderr.write(`lockstep: ${wire.message}\n${wire.hint && known ? `${wire.hint}\n` : ''}`);
  return exitCode(wire.code);
});
// Dawn keeps the event loop alive; everything is written by now, except what a pipe may still hold.
process.stdout.write('', () => process.exit(status));
