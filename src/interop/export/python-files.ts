/** The Python files beside train.py, which are the same for every run. Called by export-folder.ts. */
import checkpoint from './python/checkpoint.py?raw';
import checkpointFiles from './python/checkpoint_files.py?raw';
import launch from './python/launch.py?raw';
import parts from './python/parts.py?raw';
import record from './python/record.py?raw';
import report from './python/report.py?raw';
import tensors from './python/tensors.py?raw';

export const PYTHON_FILES: Readonly<Record<string, string>> = {
  'launch.py': launch,
  'record.py': record,
  'report.py': report,
  'checkpoint.py': checkpoint,
  'checkpoint_files.py': checkpointFiles,
  'parts.py': parts,
  'tensors.py': tensors,
};
