import '../endpoints/endpoints.css';
import './explore.css';
import { type FormEvent, lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type Failure, isAbort, toFailure } from '../api/failure';
import { serverPath } from '../api/server';
import { useServices } from '../app/context';
import type { PageProps } from '../app/pages';
import { useResponse } from '../app/useResponse';
import { useTitle } from '../app/useTitle';
import { useViewer } from '../app/viewer';
import { type ExploreState, type Look, readExplore, writeExplore } from '../endpoints/address';
import type { Rows } from '../result/rows';
import { PageHead } from '../ui/PageHead';
import { Segmented } from '../ui/Segmented';
import { saveFile } from '../ui/saveFile';
import { Empty, FailurePanel, Skeleton } from '../ui/states';
import { type Dialect, dialects, googleSQL, parametersOf } from './dialect';
import { fieldsOf, missingIn } from './fields';
import { rangeOf } from './mistake';
import { download, findParameters, type Query, run, type Values } from './run';
import { type Schema, schemaOf } from './schema';
import { TableList } from './TableList';

const Editor = lazy(() => import('./Editor'));
const ParameterFields = lazy(async () => ({ default: (await import('./ParameterFields')).ParameterFields }));
const RunResult = lazy(async () => ({ default: (await import('../result/RunResult')).RunResult }));
const SaveDialog = lazy(async () => ({ default: (await import('./SaveDialog')).SaveDialog }));

/** Where the browser keeps the SQL that was typed last in a dialect. */
const draftKeyOf = ({ key }: Dialect): string => ['savedq.explore.sql', key].filter(Boolean).join('.');

/** How a run ended, with what was sent. */
type Outcome = { sent: Query } & ({ result: Rows } | { failure: Failure } | { missing: string[] });

/** An editor of SQL over the tables, with its result. */
export function ExplorePage({ params, project }: PageProps) {
  const state = readExplore(params, project);
  const { client } = useServices();
  useTitle('Explore');
  const { data, failure, busy, refresh } = useResponse({
    key: 'explore schema',
    load: async (options) => schemaOf(await client.request(serverPath('/api/explore/schema'), options)),
  });
  return (
    <>
      <PageHead title="Explore" />
      {data !== null ? (
        <Workbench state={state} schema={data} />
      ) : failure !== null ? (
        <FailurePanel failure={failure} busy={busy} onRetry={() => void refresh()} />
      ) : (
        <div className="panel box">
          <Skeleton label="Loading the tables" height="rows" />
        </div>
      )}
    </>
  );
}

function Workbench({ state, schema }: { state: ExploreState; schema: Schema }) {
  const { client, address, store } = useServices();
  const viewer = useViewer();
  const draftIn = (chosen: Dialect): string =>
    store.getItem(draftKeyOf(chosen)) || chosen.example(schema.tables[0]?.name ?? 'edge_logs');
  const [dialect, setDialect] = useState(() => dialectOf(state.dialect));
  const [sql, setSql] = useState(() => state.sql || draftIn(dialect));
  const [args, setArgs] = useState<Values>(state.args);
  const query: Query = { dialect, sql, args };
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [running, setRunning] = useState<AbortController | null>(null);
  const [notice, setNotice] = useState('');
  const [saving, setSaving] = useState(false);
  const insert = useRef<(text: string) => void>(() => undefined);
  // A link within the page, or the history.
  useEffect(() => {
    if (state.sql === '') return;
    setSql(state.sql);
    setDialect(dialectOf(state.dialect));
  }, [state.sql, state.dialect]);
  useEffect(() => () => running?.abort(), [running]);
  // A link reproduces its result, whose place is there from the start.
  const linked = useRef(state.sql !== '');
  useLayoutEffect(() => {
    if (!linked.current) return;
    linked.current = false;
    void start();
  });
  const change = (text: string): void => {
    setSql(text);
    store.setItem(draftKeyOf(dialect), text);
  };
  const replaceAddress = (part: Look = {}): void =>
    address.replace(
      writeExplore({ ...state, sql, dialect: dialect.key, args: usedOf(query), look: { ...state.look, ...part } }),
    );
  const start = async (): Promise<void> => {
    if (running !== null) return;
    const controller = new AbortController();
    setRunning(controller);
    setNotice('');
    replaceAddress();
    try {
      // The server names the first required parameter without a value; the page marks all of them.
      const isIncomplete = missingIn(fieldsOf(query, []), args, viewer).length > 0;
      const found = isIncomplete ? await findParameters(client, query, controller.signal) : [];
      const missing = isIncomplete ? missingIn(fieldsOf(query, found), args, viewer) : [];
      if (missing.length > 0) setOutcome({ sent: query, missing });
      else setOutcome({ sent: query, result: await run(client, query, controller.signal) });
    } catch (thrown) {
      if (isAbort(thrown)) setNotice('Cancelled.');
      else setOutcome({ sent: query, failure: toFailure(thrown) });
    }
    setRunning(null);
  };
  const getFile = async (ending: string, accept: string): Promise<void> => {
    if (outcome === null) return;
    try {
      saveFile(await download(client, outcome.sent, accept), `explore.${ending}`);
    } catch (thrown) {
      setNotice(`The download failed: ${toFailure(thrown).details.message}`);
    }
  };
  const chooseDialect = (chosen: Dialect): void => {
    setDialect(chosen);
    setSql(draftIn(chosen));
    setOutcome(null);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void start();
  };
  // What was changed after the run is not marked.
  const failedRun =
    outcome !== null && !('result' in outcome) && outcome.sent.sql === sql && outcome.sent.dialect === dialect
      ? outcome
      : null;
  const failed = failedRun !== null && 'failure' in failedRun ? failedRun.failure : null;
  const mistake = useMemo(() => (failed === null ? null : rangeOf(sql, failed.details)), [failed, sql]);
  const atField = parametersOf(sql, dialect).includes(failed?.details.argument ?? '');
  return (
    <div className="split">
      <div className="stack explore-main">
        <form className="panel box sections" aria-label="SQL to run" onSubmit={submit} noValidate>
          <Suspense fallback={<Skeleton label="Loading the editor" height="snippet" />}>
            <Editor
              key={dialect.name}
              dialect={dialect}
              text={sql}
              schema={schema}
              mistake={mistake}
              onChange={change}
              onRun={() => void start()}
              onOpen={(into) => {
                insert.current = into;
              }}
            />
          </Suspense>
          {failed !== null && !atField ? <Problem failure={failed} /> : null}
          <Suspense>
            <ParameterFields
              query={query}
              failed={failedRun === null ? null : { ...failedRun, args: failedRun.sent.args }}
              onChange={setArgs}
            />
          </Suspense>
          <div className="run-line row medium">
            {/* A disabled button would lose the focus. */}
            <button type="submit" className="button button-main" aria-disabled={running !== null}>
              {running === null ? 'Run' : 'Running …'}
            </button>
            {running === null ? null : (
              <button type="button" className="button" onClick={() => running.abort()}>
                Cancel
              </button>
            )}
            <button type="button" className="button" onClick={() => setSaving(true)}>
              Save as query
            </button>
            {schema.dialects.length < dialects.length && dialect === googleSQL ? null : (
              <Segmented
                label="Dialect"
                choices={dialects.map(({ name, label }) => ({ value: name, label }))}
                value={dialect.name}
                onChange={(name) => chooseDialect(dialectOf(name))}
              />
            )}
            <span className="explore-keys muted small">
              <kbd>Ctrl</kbd>+<kbd>Enter</kbd> runs, <kbd>Escape</kbd> then <kbd>Tab</kbd> leaves the editor
            </span>
            <span role="status">{notice}</span>
          </div>
        </form>
        <ResultPanel
          rows={outcome !== null && 'result' in outcome ? outcome.result : null}
          running={running !== null}
          look={state.look}
          onLook={replaceAddress}
          onFile={(ending, accept) => void getFile(ending, accept)}
        />
      </div>
      <TableList tables={schema.tables} withheld={schema.withheld} onInsert={(text) => insert.current(text)} />
      {saving ? (
        <Suspense>
          <SaveDialog query={query} project={state.project} writes={schema.saves} onClose={() => setSaving(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}

interface ResultPanelProps {
  /** Null before the first run has succeeded. */
  rows: Rows | null;
  running: boolean;
  look: Look;
  onLook: (part: Look) => void;
  /** Downloads the rows in a format. */
  onFile: (ending: string, accept: string) => void;
}

/** The rows of the last run, or their place while the first one runs. */
function ResultPanel({ rows, running, look, onLook, onFile }: ResultPanelProps) {
  if (rows === null) {
    return running ? (
      <div className="panel box">
        <Skeleton label="Running" height="rows" />
      </div>
    ) : (
      <div className="panel box">
        <Empty title="No rows yet">
          <p>Run the query to see its rows as a table or a chart.</p>
        </Empty>
      </div>
    );
  }
  return (
    <section className="panel box" aria-label="Result">
      <Suspense fallback={<Skeleton label="Loading the rows" height="rows" />}>
        <RunResult name="the query" columns={rows.columns} response={rows} look={look} onLook={onLook}>
          <button type="button" className="button" onClick={() => onFile('csv', 'text/csv')}>
            Download CSV
          </button>
          <button type="button" className="button" onClick={() => onFile('ndjson', 'application/x-ndjson')}>
            Download NDJSON
          </button>
        </RunResult>
      </Suspense>
    </section>
  );
}

/** The dialect with a name, or the key of an address. */
function dialectOf(name: string): Dialect {
  return dialects.find((one) => one.name === name) ?? googleSQL;
}

/** The values of the parameters in SQL. */
function usedOf({ sql, dialect, args }: Query): Values {
  return Object.fromEntries(
    parametersOf(sql, dialect).flatMap((name) => {
      const values = (args[name] ?? []).filter((value) => value !== '');
      return values.length === 0 ? [] : [[name, values]];
    }),
  );
}

function Problem({ failure }: { failure: Failure }) {
  const { code, message, argument, requestId } = failure.details;
  const prefix = `${argument}: `;
  return (
    <p className="field-problem wrap medium" role="alert">
      {message.startsWith(prefix) ? message.slice(prefix.length) : message}
      {argument === undefined ? (
        <span className="muted">
          {' '}
          ({code}
          {requestId === undefined ? null : `, request ${requestId}`})
        </span>
      ) : null}
    </p>
  );
}
