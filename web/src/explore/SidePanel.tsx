import { lazy, Suspense, useState } from 'react';
import { useServices } from '../app/context';
import { Segmented } from '../ui/Segmented';
import type { Dialect } from './dialect';
import { HistoryList } from './HistoryList';
import type { Schema } from './schema';
import { TableList } from './TableList';
import type { NewTab } from './tabs';

const QueryList = lazy(async () => ({ default: (await import('./QueryList')).QueryList }));

type Choice = 'tables' | 'queries' | 'history';

const choices: readonly { value: Choice; label: string }[] = [
  { value: 'tables', label: 'Tables' },
  { value: 'queries', label: 'Queries' },
  { value: 'history', label: 'History' },
];

/** Where the browser keeps what the panel shows. */
const key = 'savedq.explore.panel';

interface SidePanelProps {
  schema: Schema;
  /** Of the schema. */
  dialect: Dialect;
  project: string;
  /** Changes with each run, so that the history is read again. */
  runs: number;
  onInsert: (text: string) => void;
  onOpen: (tab: NewTab) => void;
}

/** What SQL can be begun with: the tables, the saved queries, and the last runs. */
export function SidePanel({ schema, dialect, project, runs, onInsert, onOpen }: SidePanelProps) {
  const { store } = useServices();
  const [shown, setShown] = useState<Choice>(
    () => choices.find(({ value }) => value === store.getItem(key))?.value ?? 'tables',
  );
  const choose = (value: Choice): void => {
    setShown(value);
    store.setItem(key, value);
  };
  return (
    <section className="panel box explore-side stack" aria-label="Tables, queries and history">
      <Segmented label="Panel" choices={choices} value={shown} onChange={choose} />
      {shown === 'tables' ? (
        <TableList tables={schema.tables} withheld={schema.withheld} dialect={dialect} onInsert={onInsert} />
      ) : shown === 'queries' ? (
        <Suspense>
          <QueryList project={project} onOpen={onOpen} />
        </Suspense>
      ) : (
        <HistoryList key={runs} onOpen={onOpen} />
      )}
    </section>
  );
}
