import { type ComponentType, lazy } from 'react';
import { type Page, pageAt, read } from './routes';

/** What each page gets. */
export interface PageProps {
  params: URLSearchParams;
  /** The project to open, unless the address names one. */
  project: string;
}

/** Loads the code of each page. */
const loaders = {
  functions: async () => {
    const { FunctionsPage } = await import('../functions/FunctionsPage');
    return page(({ params, project }) => <FunctionsPage state={read.functions(params, project)} />);
  },
  usage: async () => {
    const { UsagePage } = await import('../usage/UsagePage');
    return page(({ params, project }) => <UsagePage state={read.usage(params, project)} />);
  },
  logs: async () => {
    const { LogsPage } = await import('../logs/LogsPage');
    return { default: LogsPage };
  },
  endpoints: async () => {
    const { EndpointsPage } = await import('../endpoints/EndpointsPage');
    return { default: EndpointsPage };
  },
  alerts: async () => {
    const { AlertsPage } = await import('../alerts/AlertsPage');
    return { default: AlertsPage };
  },
  explore: async () => {
    const { ExplorePage } = await import('../explore/ExplorePage');
    return { default: ExplorePage };
  },
  tokens: async () => {
    const { TokensPage } = await import('../tokens/TokensPage');
    return { default: TokensPage };
  },
};

function page(component: ComponentType<PageProps>) {
  return { default: component };
}

/** The pages. The code of each is loaded when it is first shown. */
export const pages: { [page in Page]: ComponentType<PageProps> } = {
  functions: lazy(loaders.functions),
  usage: lazy(loaders.usage),
  logs: lazy(loaders.logs),
  endpoints: lazy(loaders.endpoints),
  alerts: lazy(loaders.alerts),
  explore: lazy(loaders.explore),
  tokens: lazy(loaders.tokens),
};

/** Starts loading the code of a page before it is known what it will show. */
export function preload(path: string): void {
  const page = pageAt(path);
  if (page !== null) void loaders[page]();
}
