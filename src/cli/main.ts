/** Entry of the command line: finds the command, runs it, turns errors into a sentence and an exit status. */
import { isWireError, toWire } from '../base/errors';
import { bench } from './bench';
import { code } from './code';
import { collectives } from './collectives';
import { compare } from './compare';
import { EXIT, exitCode } from './exit-code';
import { exportCommand } from './export';
import { helpOfCommand, helpText } from './help-text';
import { importCommand } from './import';
import { memory } from './memory';
import { schedule } from './schedule';
import { jsonSchemaOf } from './schema';
import { serve } from './serve';
import { train } from './train';
import { parseCommand } from './usage';

async function run(args: readonly string[]): Promise<number> {
  const command = parseCommand(args);
  switch (command.name) {
    case 'help':
      process.stdout.write(command.of === undefined ? helpText() : helpOfCommand(command.of));
      return EXIT.ok;
    case 'schema':
      process.stdout.write(`${JSON.stringify(jsonSchemaOf(command.of), null, 2)}\n`);
      return EXIT.ok;
    case 'compare':
      return compare(command.options);
    case 'memory':
      process.stdout.write(await memory(command.options));
      return EXIT.ok;
    case 'schedule':
      process.stdout.write(await schedule(command.options));
      return EXIT.ok;
    case 'code':
      await code(command.options);
      return EXIT.ok;
    case 'export':
      process.stdout.write(await exportCommand(command.options));
      return EXIT.ok;
    case 'serve': {
      const abort = new AbortController();
      stopOnSignals(abort);
      await serve(command.options, abort.signal);
      return EXIT.ok;
    }
    case 'collectives': {
      const abort = new AbortController();
      stopOnSignals(abort);
      return collectives(command.options, abort.signal);
    }
    case 'bench': {
      const abort = new AbortController();
      stopOnSignals(abort);
      return bench(command.options, abort.signal);
    }
    case 'import': {
      const abort = new AbortController();
      stopOnSignals(abort);
      return importCommand(command.options, abort.signal);
    }
    case 'train': {
      const abort = new AbortController();
      stopOnSignals(abort);
      return train(command.options, abort.signal);
    }
  }
}

/** One Ctrl+C may arrive twice: from the terminal, and from the process that started this one. */
const SAME_SIGNAL_MS = 500;

/**
 * The first Ctrl+C, or a scheduler's SIGTERM, stops after the current step and still writes the report; a second one
 * ends the process.
 */
function stopOnSignals(abort: AbortController): void {
  let first = Number.POSITIVE_INFINITY;
  const stop = (): void => {
    if (performance.now() - first > SAME_SIGNAL_MS) process.exit(EXIT.runFailed);
    first = Math.min(first, performance.now());
    abort.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

// If the reader closes the pipe (`lockstep train ... 2>&1 | head`), the run continues and writes its files.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const status = await run(process.argv.slice(2)).catch((error: unknown) => {
  const wire = isWireError(error) ? error : toWire(error);
  process.stderr.write(`lockstep: ${wire.message}\n${wire.hint ? `${wire.hint}\n` : ''}`);
  return exitCode(wire.code);
});
// Dawn keeps the event loop alive, so exit explicitly; only a pipe may still hold unwritten output.
process.stdout.write('', () => process.exit(status));
