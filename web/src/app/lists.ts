import { FunctionListDocument, type FunctionListQuery, ProjectListDocument } from '../gql/graphql';
import { useServices } from './context';
import { type Loading, useResponse } from './useResponse';
import { mayRun, useViewer } from './viewer';

/** The projects with events in the last day, most events first; empty until wanted and known. */
export function useProjectList(wanted: boolean): readonly string[] {
  const { client } = useServices();
  const { data } = useResponse({
    key: 'projects',
    enabled: mayRun(useViewer(), 'projects.list') && wanted,
    load: async (options) => {
      const { data } = await client.query(ProjectListDocument, {}, options);
      return data.rows.map(({ project }) => project);
    },
  });
  return data ?? [];
}

export type FunctionRow = FunctionListQuery['rows'][number];

/** The functions of a project, most invocations first. */
export interface FunctionList {
  rows: FunctionRow[];
  /** Whether there are more. */
  truncated: boolean;
}

interface FunctionListSource {
  project: string;
  /** Only invocations after this time; null for the last day. */
  start: string | null;
  /** Identifies what the list belongs to: another value requests it again. */
  version?: number | undefined;
  bypassCache?: boolean | undefined;
  wanted?: boolean;
}

/** The functions of a project with invocations in a time range. */
export function useFunctionList(source: FunctionListSource): Loading<FunctionList> {
  const { client } = useServices();
  const { project, start, version, wanted = true, bypassCache = false } = source;
  return useResponse({
    key: JSON.stringify(['functions', project, start, version]),
    enabled: mayRun(useViewer(), 'functions.list') && wanted && project !== '',
    load: async (options) => {
      const { data, freshness } = await client.query(
        FunctionListDocument,
        { project, start },
        { ...options, bypassCache },
      );
      return { rows: data.rows, truncated: freshness.rows?.truncated === true };
    },
  });
}

/** The ids of listed functions. */
export function idsOf(list: FunctionList | null): readonly string[] {
  return list?.rows.flatMap(({ functionId }) => functionId ?? []) ?? [];
}
