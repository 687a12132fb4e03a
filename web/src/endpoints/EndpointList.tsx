import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Link } from '../app/Link';
import { write } from '../app/routes';
import { formatCountOf } from '../ui/numbers';
import type { Endpoint } from './rest';
import { searchEndpoints } from './search';

interface EndpointListProps {
  endpoints: readonly Endpoint[];
  chosen: Endpoint | undefined;
  project: string;
}

/** The saved queries with a search field. Arrow keys move between the field and the links. */
export function EndpointList({ endpoints, chosen, project }: EndpointListProps) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLElement>(null);
  useSlashKey(field);
  const found = searchEndpoints(endpoints, text);
  const press = (event: KeyboardEvent): void => {
    const links = [...(list.current?.querySelectorAll('a') ?? [])];
    const stops: (Element | null)[] = [field.current, ...links];
    const at = stops.indexOf(document.activeElement);
    if (event.key === 'Enter' && at === 0) {
      event.preventDefault();
      links[0]?.click();
      return;
    }
    if (event.key === 'Escape' && at > 0) field.current?.focus();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || at < 0) return;
    event.preventDefault();
    const next = at + step;
    if (next <= 0) field.current?.focus();
    else links[Math.min(links.length, next) - 1]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears keys of the field and the links in it.
    <div className="endpoint-index stack" onKeyDown={press}>
      <input
        ref={field}
        type="search"
        aria-label="Search saved queries"
        aria-keyshortcuts="/"
        placeholder="Search (press /)"
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
      />
      <p className="muted small" role="status">
        {text.trim() === ''
          ? formatCountOf(endpoints.length, 'saved query', 'saved queries')
          : `${found.length} of ${formatCountOf(endpoints.length, 'saved query', 'saved queries')}`}
      </p>
      <nav ref={list} aria-label="Saved queries" className="endpoint-list nav wrap">
        {found.map((endpoint) => (
          <Link
            key={endpoint.id}
            href={write.endpoints({ project, name: endpoint.name, args: {}, view: 'table' })}
            aria-current={endpoint === chosen ? 'true' : undefined}
          >
            <strong>{endpoint.name}</strong>
            <span className="muted small">
              {formatCountOf(endpoint.parameters.length, 'parameter', 'parameters')} ·{' '}
              {formatCountOf(endpoint.columns.length, 'column', 'columns')}
              {endpoint.deprecated === null ? '' : ' · deprecated'}
            </span>
          </Link>
        ))}
      </nav>
    </div>
  );
}

/** Focuses a field when the slash key is pressed outside of other fields. */
function useSlashKey(field: React.RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent): void => {
      const { target } = event;
      const typing = target instanceof Element && target.closest('input, select, textarea, dialog') !== null;
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || typing) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [field]);
}
