import { type FormEvent, lazy, Suspense, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Failure } from '../api/failure';
import { useServices } from '../app/context';
import { type ExploreState, type Look, writeExplore } from '../endpoints/address';
import { PageHead } from '../ui/PageHead';
import { saveFile } from '../ui/saveFile';
import { Skeleton } from '../ui/states';
import { dialects, googleSQL, parametersOf } from './dialect';
import { rangeOf } from './mistake';
import { isMistake, Problem } from './Problem';
import { ResultPanel } from './ResultPanel';
import { RunLine } from './RunLine';
import { download, type Mistake, type Query, type Values } from './run';
import { SidePanel } from './SidePanel';
import { Splitter } from './Splitter';
import { type Schema, useSchema } from './schema';
import { TabBar } from './TabBar';
import { activeTab } from './tabs';
import { useCheck } from './useCheck';
import { leastEditor, mostEditor, useEditorHeight } from './useEditorHeight';
import { useRunKey } from './useRunKey';
import { type RunState, useRuns } from './useRuns';
import { useTabs } from './useTabs';

const Editor = lazy(() => import('./Editor'));
const ParameterFields = lazy(async () => ({ default: (await import('./ParameterFields')).ParameterFields }));
const SaveDialog = lazy(async () => ({ default: (await import('./SaveDialog')).SaveDialog }));
const SaveEdit = lazy(async () => ({ default: (await import('./SaveEdit')).SaveEdit }));

/** Tabs with SQL, its parameters and its rows, beside what SQL can be begun with. */
export function Workbench({ state, schema }: { state: ExploreState; schema: Schema }) {
  const { client, address } = useServices();
  const [tabs, control] = useTabs(state);
  const runs = useRuns();
  const [saving, setSaving] = useState(false);
  const [height, setHeight] = useEditorHeight();
  const insert = useRef<(text: string) => void>(() => undefined);
  const tab = activeTab(tabs);
  const dialect = dialects.find(({ name }) => name === tab.dialect) ?? googleSQL;
  const named = useSchema(dialect);
  const sql = tab.texts[dialect.name] ?? dialect.example(schema.tables[0]?.name ?? 'edge_logs');
  const query: Query = { dialect, sql, args: tab.args };
  const run = runs.of(tab.id);
  const known = useCheck(query);
  const replaceAddress = (part: Look, sent: Query = query): void =>
    address.replace(
      writeExplore({
        ...state,
        query: tab.saved,
        sql: sent.sql,
        dialect: dialect.key,
        args: usedOf(sent),
        look: { ...state.look, ...part },
      }),
    );
  const start = (text = sql): void => {
    if (run.running !== null) return;
    const sent = { ...query, sql: text };
    replaceAddress({}, sent);
    control.change({ kept: true, texts: { ...tab.texts, [dialect.name]: text } });
    void runs.start(tab.id, sent);
  };
  useRunKey(() => start());
  // A link reproduces its result, whose place is there from the start.
  const linked = useRef(state.sql !== '');
  useLayoutEffect(() => {
    if (!linked.current) return;
    linked.current = false;
    start();
  });
  const getFile = async (ending: string, accept: string): Promise<void> => {
    if (run.rows === null) return;
    try {
      saveFile(await download(client, run.rows.sent, accept), `explore.${ending}`);
    } catch (thrown) {
      runs.say(tab.id, `The download failed: ${messageOf(thrown)}`);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    start();
  };
  const { failedHere, failed, mistake } = mistakesOf(run, query, known.mistake);
  const range = useMemo(() => (mistake === null ? null : rangeOf(sql, mistake)), [mistake, sql]);
  const atField = parametersOf(sql, dialect).includes(mistake?.argument ?? '');
  return (
    <>
      <PageHead title="Explore">
        <TabBar
          tabs={tabs}
          running={runs.running}
          onShow={control.show}
          onClose={(id) => {
            runs.forget(id);
            control.close(id);
          }}
          onNew={control.add}
        />
      </PageHead>
      <div className="split">
        <div className="stack explore-main">
          <form className="panel box explore-form" aria-label="SQL to run" onSubmit={submit} noValidate>
            <div className="explore-editor-frame" style={height === null ? undefined : { height }}>
              <Suspense fallback={<Skeleton label="Loading the editor" height="snippet" />}>
                <Editor
                  key={`${tab.id} ${dialect.name}`}
                  dialect={dialect}
                  text={sql}
                  schema={named.previous ? null : named.data}
                  mistake={range}
                  goToMistake={failed !== null}
                  problem={mistake?.message ?? ''}
                  onChange={(text) => control.change({ kept: true, texts: { ...tab.texts, [dialect.name]: text } })}
                  onRun={start}
                  onOpen={(into) => {
                    insert.current = into;
                  }}
                />
              </Suspense>
            </div>
            <Splitter
              label="Height of the editor"
              height={height}
              least={leastEditor}
              most={mostEditor()}
              onChange={setHeight}
            />
            <div className="explore-problem">
              {mistake !== null && !atField ? <Problem mistake={mistake} failure={failed} /> : null}
            </div>
            <Suspense>
              <ParameterFields
                query={query}
                found={known.found}
                failed={failedHere === null ? null : { ...failedHere, args: failedHere.sent.args }}
                onChange={(args) => control.change({ args })}
              />
            </Suspense>
            <RunLine
              bytes={known.bytes}
              run={run}
              dialect={dialect}
              dialects={schema.dialects}
              onCancel={() => runs.cancel(tab.id)}
              onSave={() => setSaving(true)}
              onDialect={(name) => control.change({ dialect: name })}
            >
              {tab.saved !== '' && schema.saves ? (
                <Suspense>
                  <SaveEdit key={tab.id} name={tab.saved} query={query} />
                </Suspense>
              ) : null}
            </RunLine>
          </form>
          <ResultPanel
            key={tab.id}
            run={run}
            saved={tab.saved}
            args={tab.args}
            look={state.look}
            onLook={replaceAddress}
            onRetry={() => start()}
            onFile={(ending, accept) => void getFile(ending, accept)}
          />
        </div>
        <SidePanel
          schema={named.data ?? schema}
          dialect={dialect}
          project={state.project}
          runs={runs.ended}
          onInsert={(text) => insert.current(text)}
          onOpen={control.open}
        />
        {saving ? (
          <Suspense>
            <SaveDialog query={query} project={state.project} writes={schema.saves} onClose={() => setSaving(false)} />
          </Suspense>
        ) : null}
      </div>
    </>
  );
}

/** What is wrong with SQL: how its last run failed, and the mistake of that run or of what is typed. */
function mistakesOf({ failed: last }: RunState, { sql, dialect }: Query, typed: Mistake | null) {
  // What was changed after the run is not marked.
  const failedHere = last !== null && last.sent.sql === sql && last.sent.dialect === dialect ? last : null;
  const failure = failedHere !== null && 'failure' in failedHere ? failedHere.failure : null;
  const failed = failure !== null && isMistake(failure) ? failure : null;
  return { failedHere, failed, mistake: failed?.details ?? typed };
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

function messageOf(thrown: unknown): string {
  return (thrown as Failure).details?.message ?? String(thrown);
}
