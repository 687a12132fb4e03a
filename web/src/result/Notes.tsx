/** What a chart leaves out, in words. */
export function Notes({ notes }: { notes: readonly string[] }) {
  return notes.map((note) => (
    <p key={note} className="muted small">
      {note}
    </p>
  ));
}
