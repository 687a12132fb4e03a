import { lazy, Suspense } from 'react';
import { MoonIcon, SignOutIcon, SunIcon, SystemIcon } from '../ui/icons';
import { Segmented } from '../ui/Segmented';
import { usePlace } from './address';
import { useAccess, useServices } from './context';
import { Link } from './Link';
import { type Theme, useLiking } from './preferences';
import { graphiqlPath, pageAt, pageNames, paths } from './routes';
import { useViewer, visiblePages } from './viewer';

const Keys = lazy(() => import('../ui/Keys'));

interface HeaderProps {
  /** The project that the pages open on; empty where it is not known. */
  project: string;
  /** Whether the page shows times, so that a zone can be chosen. */
  zoned?: boolean;
}

/** Links to the pages that the token can see, and the preferences. */
export function Header({ project, zoned = false }: HeaderProps) {
  const { session } = useServices();
  const { token } = useAccess();
  const { path } = usePlace();
  const here = pageAt(path);
  const query = project === '' ? '' : `?${new URLSearchParams({ project })}`;
  return (
    <header className="header row">
      <Link href={paths.functions} className="brand row" aria-label="savedq, home">
        <BrandMark /> savedq
      </Link>
      <nav
        aria-label="Pages"
        className="nav"
        // On a narrow screen, the links scroll. scrollIntoView would also make it the place from which Tab goes on.
        ref={(nav) => nav?.scrollTo((nav.querySelector<HTMLElement>('[aria-current]')?.offsetLeft ?? 60) - 60, 0)}
      >
        {visiblePages(useViewer()).map((page) => (
          <Link key={page} href={paths[page] + query} aria-current={here === page ? 'page' : undefined}>
            {pageNames[page]}
          </Link>
        ))}
        <a href={graphiqlPath} aria-current={path === graphiqlPath ? 'page' : undefined}>
          GraphiQL
        </a>
      </nav>
      <div className="header-end row">
        {here === null ? null : (
          <Suspense>
            <Keys page={here} />
          </Suspense>
        )}
        {zoned ? <ZoneSwitch /> : null}
        <ThemeButton />
        {token === null ? null : (
          <button type="button" className="button" title="Sign out" onClick={() => session.forget()}>
            <SignOutIcon /> <span className="visually-hidden">Sign out</span>
          </button>
        )}
      </div>
    </header>
  );
}

function BrandMark() {
  return (
    <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
      <rect fill="#2f5bd0" width="32" height="32" rx="7" />
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
  system: { next: 'light', name: 'system', icon: SystemIcon },
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
      className="button"
      aria-label={label}
      title={label}
      onClick={() => preferences.change({ theme: next })}
    >
      <Icon />
    </button>
  );
}
