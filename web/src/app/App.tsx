import { useEffect, useRef } from 'react';
import { EndpointsPage } from '../endpoints/EndpointsPage';
import { FunctionsPage } from '../functions/FunctionsPage';
import { LogsPage } from '../logs/LogsPage';
import { TokenDialog } from '../ui/TokenDialog';
import { UsagePage } from '../usage/UsagePage';
import { usePlace } from './address';
import { useServices } from './context';
import { Header } from './Header';
import { Link } from './Link';
import { useUsualProject } from './projects';
import { type Page, pageAt, paths, read } from './routes';

/** The dashboard: one of its pages, as the address says. */
export function App() {
  const { session } = useServices();
  const { path, search } = usePlace();
  const usual = useUsualProject();
  const page = pageAt(path);
  const params = new URLSearchParams(search);
  const project = params.get('project') ?? usual;
  const main = useFocusOnChange(path);
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Header project={project} />
      <main id="main" ref={main} tabIndex={-1}>
        <CurrentPage page={page} params={params} project={usual} />
      </main>
      <TokenDialog session={session} />
    </>
  );
}

function CurrentPage({ page, params, project }: { page: Page | null; params: URLSearchParams; project: string }) {
  switch (page) {
    case 'functions':
      return <FunctionsPage state={read.functions(params, project)} />;
    case 'usage':
      return <UsagePage state={read.usage(params, project)} />;
    case 'logs':
      return <LogsPage state={read.logs(params, project)} />;
    case 'endpoints':
      return <EndpointsPage state={read.endpoints(params, project)} />;
    case null:
      return (
        <p>
          There is no such page. <Link href={paths.functions}>Go to the first one</Link>
        </p>
      );
  }
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
