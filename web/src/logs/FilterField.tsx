import { useId } from 'react';

/** Filters while typing; words match in any order. */
export function FilterField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const id = useId();
  return (
    <div className="filter">
      <label className="label" htmlFor={id}>
        Filter loaded entries
      </label>
      <input
        id={id}
        type="search"
        value={value}
        placeholder="Message, path, status or id"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
