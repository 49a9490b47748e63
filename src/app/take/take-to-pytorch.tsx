/**
 * The run on the page as a folder from which PyTorch trains: its content, how to start it, what torch does differently,
 * and the .zip. Loaded when its dialog is opened; the session writes the files.
 */
import { useEffect, useState } from 'react';
import { asLockstepError, type LockstepError } from '../../base/errors';
import type { ExportedFolder } from '../../protocol/exported';
import fields from '../fields/fields.module.css';
import { saveFile } from '../files/save-file';
import { openReport } from '../looks/given';
import { useController } from '../run/use-controller';
import { CopyField } from '../share/copy-field';
import { useApp, useAppStore } from '../state/use-app';
import styles from './take.module.css';
import { zipOfFolder } from './zip-of-folder';

export function TakeToPyTorch() {
  const { exportRun } = useController();
  const mode = useApp((app) => app.info?.config.mode ?? app.config.mode);
  const [folder, setFolder] = useState<ExportedFolder>();
  const [problem, setProblem] = useState<LockstepError>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks again.
  useEffect(() => {
    let gone = false;
    setProblem(undefined);
    exportRun().then(
      (made) => !gone && setFolder(made),
      (error: unknown) => !gone && setProblem(asLockstepError(error)),
    );
    return () => {
      gone = true;
    };
  }, [exportRun, attempt]);
  return (
    <div className={styles['take']}>
      <h2>Take it to PyTorch</h2>
      <p>
        The same run as a folder: a <code>train.py</code> that you can read and change, the initial weights and rows,
        and the files that start it under torchrun, SLURM and Kubernetes. Nothing in the folder needs Lockstep.
      </p>
      {problem ? (
        <div role="alert">
          <p>{problem.message}</p>
          {problem.hint && <p>{problem.hint}</p>}
          <button type="button" onClick={() => setAttempt(attempt + 1)}>
            Try again
          </button>
        </div>
      ) : folder ? (
        <Made folder={folder} name={`lockstep-${mode}`} />
      ) : (
        <p role="status">Writing the files …</p>
      )}
    </div>
  );
}

function Made({ folder, name }: { readonly folder: ExportedFolder; readonly name: string }) {
  const store = useAppStore();
  const { files, processes, needs, differences } = folder;
  const start = processes > 1 ? `torchrun --standalone --nproc_per_node=${processes}` : 'python3';
  const commands = [`unzip ${name}.zip -d ${name}`, `cd ${name}`, `${start} train.py --report report.json`];
  return (
    <>
      <button
        type="button"
        className={styles['main']}
        onClick={() => saveFile(`${name}.zip`, new Blob([zipOfFolder(files)], { type: 'application/zip' }))}
      >
        Download {name}.zip
      </button>
      <p className={styles['note']}>
        {Object.keys(files).length} files. Needs PyTorch {needs.torch} or later ({needs.why}).
      </p>
      <h3>Start it</h3>
      <CopyField name="Commands" text={commands.join('\n')} rows={4} />
      <p className={styles['note']}>
        The script uses GPUs if there is one per rank, else the CPU. README.md explains several nodes, SLURM and
        Kubernetes, and the options: precision, torch.compile, checkpoints, your own data.
      </p>
      <h3>Is it the same run?</h3>
      <p>
        PyTorch writes losses, weights and steps into <code>report.json</code>. Open this file here, or drop it on the
        page, to compare it with this run.
      </p>
      <button
        type="button"
        className={fields['button']}
        onClick={({ currentTarget }) => {
          currentTarget.closest('dialog')?.close();
          openReport(store);
        }}
      >
        Compare with a report …
      </button>
      {differences.length > 0 && (
        <ul>
          {differences.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </>
  );
}
