import { useId } from 'react';

/** Filters as one types; the words may stand in any order. */
export function FilterField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const id = useId();
  return (
    <div className="filter">
      <label htmlFor={id}>Filter the loaded entries</label>
      <input
        id={id}
        type="search"
        value={value}
        placeholder="Words, such as: 404 storage"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
