/** Rows of a table of keys: the key, and what it does. */
export function KeysRows({ keys }: { keys: readonly { readonly label: string; readonly does: string }[] }) {
  return keys.map(({ label, does }) => (
    <tr key={label}>
      <th scope="row">
        <kbd>{label}</kbd>
      </th>
      <td>{does}</td>
    </tr>
  ));
}
