/** Filters while typing; words match in any order. */
export function FilterField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  return (
    <label className="filter row">
      <span className="label">Filter loaded entries</span>
      <input
        type="search"
        value={value}
        placeholder="Message, path, status or id"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}
