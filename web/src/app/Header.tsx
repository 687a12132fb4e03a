import { KeyIcon, MoonIcon, SunIcon, SystemIcon } from '../ui/icons';
import { Segmented } from '../ui/Segmented';
import { usePlace } from './address';
import { useAccess, useServices } from './context';
import { Link } from './Link';
import { type Theme, useLiking } from './preferences';
import { pageAt, paths } from './routes';

const pages = [
  { page: 'functions', label: 'Functions' },
  { page: 'usage', label: 'API' },
  { page: 'logs', label: 'Logs' },
  { page: 'endpoints', label: 'Endpoints' },
] as const;

/** Leads to the pages, and holds what a viewer likes. */
export function Header({ project }: { project: string }) {
  const { session } = useServices();
  const { token } = useAccess();
  const here = pageAt(usePlace().path);
  return (
    <header className="header">
      <Link href={paths.functions} className="brand" aria-label="savedq, first page">
        <BrandMark /> savedq
      </Link>
      <nav aria-label="Pages" className="nav">
        {pages.map(({ page, label }) => (
          <Link
            key={page}
            href={`${paths[page]}?${new URLSearchParams({ project })}`}
            aria-current={here === page ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
        <a href="/graphiql">GraphiQL</a>
      </nav>
      <div className="header-end">
        <ZoneSwitch />
        <ThemeButton />
        {token === null ? null : (
          <button type="button" className="button" title="Forget token" onClick={() => session.forget()}>
            <KeyIcon /> <span className="header-label">Forget token</span>
          </button>
        )}
      </div>
    </header>
  );
}

function BrandMark() {
  return (
    <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
      <rect className="brand-ground" width="32" height="32" rx="7" />
      <path d="M8 23v-6M13.5 23V11M19 23v-9" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
      <path d="m21.5 20 4 4" stroke="#ffd166" strokeWidth="3" strokeLinecap="round" />
    </svg>
  );
}

function ZoneSwitch() {
  const { preferences } = useServices();
  const { zone } = useLiking();
  return (
    <Segmented
      label="Time zone"
      choices={[
        { value: 'local', label: 'Local' },
        { value: 'utc', label: 'UTC' },
      ]}
      value={zone}
      onChange={(value) => preferences.change({ zone: value })}
    />
  );
}

const themes: { [theme in Theme]: { next: Theme; name: string; icon: () => React.ReactElement } } = {
  system: { next: 'light', name: 'as the system', icon: SystemIcon },
  light: { next: 'dark', name: 'light', icon: SunIcon },
  dark: { next: 'system', name: 'dark', icon: MoonIcon },
};

function ThemeButton() {
  const { preferences } = useServices();
  const { theme } = useLiking();
  const { next, name, icon: Icon } = themes[theme];
  const label = `Theme: ${name}. Change to ${themes[next].name}`;
  return (
    <button
      type="button"
      className="button button-icon"
      aria-label={label}
      title={label}
      onClick={() => preferences.change({ theme: next })}
    >
      <Icon />
    </button>
  );
}
