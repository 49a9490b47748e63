/** The head of a table: one heading per column; a column without a name has an empty cell. */
export function ColumnHeads({ names }: { names: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map((name) =>
          name === '' ? (
            <td key={name} />
          ) : (
            <th key={name} scope="col">
              {name}
            </th>
          ),
        )}
      </tr>
    </thead>
  );
}
