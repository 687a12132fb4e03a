import { useRef } from 'react';

/** The formats of the server, by the ending of their files. */
const formats = [
  { name: 'CSV', ending: 'csv', accept: 'text/csv' },
  { name: 'JSON', ending: 'json', accept: 'application/json' },
  { name: 'NDJSON', ending: 'ndjson', accept: 'application/x-ndjson' },
  { name: 'Parquet', ending: 'parquet', accept: 'application/vnd.apache.parquet' },
  { name: 'Arrow', ending: 'arrows', accept: 'application/vnd.apache.arrow.stream' },
];

/** A button that opens a list of formats. */
export function DownloadMenu({ onFile }: { onFile: (ending: string, accept: string) => void }) {
  const menu = useRef<HTMLDetailsElement>(null);
  return (
    <details
      ref={menu}
      className="menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || menu.current === null) return;
        menu.current.open = false;
        menu.current.querySelector('summary')?.focus();
      }}
    >
      <summary className="button">Download ▾</summary>
      <ul className="menu-list box">
        {formats.map(({ name, ending, accept }) => (
          <li key={ending}>
            <button
              type="button"
              className="menu-item"
              onClick={() => {
                onFile(ending, accept);
                if (menu.current !== null) menu.current.open = false;
              }}
            >
              Download {name}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
