/** The page for teachers, learn/teach.html. */
export function Teach() {
  return <p>...</p>;
}
