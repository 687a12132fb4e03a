import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from '../app/Link';
import { useViewer } from '../app/viewer';
import { ChevronIcon } from '../ui/icons';
import { formatCountOf } from '../ui/numbers';
import { useSlashKey } from '../ui/useSlashKey';
import { writeEndpoints } from './address';
import { describeUsage, useEndpointUsage } from './endpointUsage';
import type { Endpoint } from './rest';
import { searchEndpoints } from './search';

interface EndpointListProps {
  endpoints: readonly Endpoint[];
  chosen: Endpoint | undefined;
  project: string;
}

/** The saved queries with a search field. On a narrow screen, a button opens them, so that the chosen one is in view. Arrow keys move between the field and the links. */
export function EndpointList({ endpoints, chosen, project }: EndpointListProps) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLElement>(null);
  const [open, setOpen] = useState(false);
  useSlashKey(() => {
    flushSync(() => setOpen(true)); // a hidden field cannot have the focus
    field.current?.focus();
    field.current?.select();
  });
  const name = chosen?.name;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice closes the list, and is scrolled to.
  useEffect(() => {
    setOpen(false);
    const frame = list.current;
    const link = frame?.querySelector<HTMLElement>('[aria-current=true]');
    if (!frame || !link) return;
    const below = link.offsetTop + link.offsetHeight - frame.scrollTop > frame.clientHeight;
    if (below || link.offsetTop < frame.scrollTop) frame.scrollTo({ top: link.offsetTop - frame.clientHeight / 2 });
  }, [name]);
  const viewer = useViewer();
  const usage = useEndpointUsage();
  const today = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
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
    <div className="endpoint-index stack" data-open={open} onKeyDown={press}>
      <button type="button" className="button index-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronIcon />
        <span className="truncate">{name ?? 'Saved queries'}</span>
        <span className="muted small">{open ? 'Close' : 'Change'}</span>
      </button>
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
            href={writeEndpoints({ project, name: endpoint.name, args: {}, look: {} })}
            aria-current={endpoint === chosen ? 'true' : undefined}
          >
            <strong>{endpoint.name}</strong>
            {endpoint.deprecated === null ? null : <span className="badge warning">deprecated</span>}
            <span className="small endpoint-about">{aboutOf(endpoint)}</span>
            {viewer.usage ? (
              <span className="muted small endpoint-usage">
                {usage === null ? '' : describeUsage(usage.get(endpoint.name), today)}
              </span>
            ) : null}
          </Link>
        ))}
      </nav>
    </div>
  );
}

/** What a saved query is: the first sentence of its description. */
function aboutOf({ description }: Endpoint): string {
  const [first = description] = /^.*?[.!?](?=\s|$)/s.exec(description) ?? [];
  return first;
}
