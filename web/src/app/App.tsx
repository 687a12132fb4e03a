import { lazy, Suspense, useEffect, useRef } from 'react';
import { PageHead } from '../ui/PageHead';
import { Skeleton } from '../ui/states';
import { TokenDialog } from '../ui/TokenDialog';
import { usePlace } from './address';
import { useServices } from './context';
import { Header } from './Header';
import { pages } from './pages';
import { remembered } from './remembered';
import { type Page, pageAt, pageNames, paths } from './routes';
import {
  mayOpen,
  unknownViewer,
  useViewerOfSession,
  usualProject,
  type Viewer,
  ViewerContext,
  visiblePages,
} from './viewer';

const NotFoundPage = lazy(async () => ({ default: (await import('./NotFoundPage')).NotFoundPage }));

const NotAllowed = lazy(async () => ({ default: (await import('./NotAllowed')).NotAllowed }));

/** The dashboard: the page that the URL names. */
export function App() {
  const { session, store } = useServices();
  const { path, search } = usePlace();
  const known = useViewerOfSession();
  const viewer = known ?? unknownViewer;
  const params = new URLSearchParams(search);
  // Which project to open depends on the token, unless the URL names one.
  const usual = known === null ? null : usualProject(known, remembered(store, 'project'));
  const project = params.get('project') ?? usual;
  const page = pageAt(path);
  // So does the tier of the logs.
  const ready = project !== null && (known !== null || page !== 'logs' || params.has('tier'));
  const main = useFocusOnChange(path);
  useRedirectFromHome(known, search);
  return (
    <ViewerContext value={viewer}>
      <a className="skip button button-main" href="#main">
        Skip to content
      </a>
      <Header project={project ?? ''} zoned />
      <main id="main" ref={main} tabIndex={-1} data-page={page}>
        {page === null ? (
          <Suspense>
            <NotFoundPage path={path} />
          </Suspense>
        ) : known !== null && !mayOpen(known, page) ? (
          <Suspense>
            <NotAllowed page={page} token={known.token} />
          </Suspense>
        ) : (
          <CurrentPage page={page} params={params} project={ready ? project : null} />
        )}
      </main>
      <TokenDialog session={session} />
    </ViewerContext>
  );
}

interface CurrentPageProps {
  page: Page;
  params: URLSearchParams;
  /** Null until it is known. */
  project: string | null;
}

/** A page, or its title until its code has been loaded and its project is known. */
function CurrentPage({ page, params, project }: CurrentPageProps) {
  const Content = pages[page];
  const loading = (
    <>
      <PageHead title={pageNames[page]} />
      <div className="panel box">
        <Skeleton label="Loading" height="charts" />
      </div>
    </>
  );
  return (
    <Suspense fallback={loading}>{project === null ? loading : <Content params={params} project={project} />}</Suspense>
  );
}

/** Redirects from the home page to the first page whose saved query the token can run. */
function useRedirectFromHome(viewer: Viewer | null, search: string): void {
  const { address } = useServices();
  const { path } = usePlace();
  useEffect(() => {
    if (viewer === null || pageAt(path) !== 'functions' || search !== '') return;
    const [first = 'functions'] = visiblePages(viewer);
    if (first !== 'functions') address.replace(paths[first]);
  }, [viewer, path, search, address]);
}

/** Moves the focus to an element when something changes, but not at first. */
function useFocusOnChange(value: string) {
  const ref = useRef<HTMLElement>(null);
  const before = useRef(value);
  useEffect(() => {
    if (before.current !== value) ref.current?.focus({ preventScroll: true });
    before.current = value;
  }, [value]);
  return ref;
}
