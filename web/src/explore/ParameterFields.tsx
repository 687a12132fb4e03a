import { useEffect, useRef, useState } from 'react';
import { type Failure, problemOf } from '../api/failure';
import { useServices } from '../app/context';
import { permittedValues, useViewer } from '../app/viewer';
import { ParameterField } from '../endpoints/ParameterField';
import { fieldsOf } from './fields';
import { type Found, findParameters, type Query, type Values } from './run';

interface ParameterFieldsProps {
  query: Query;
  /** Why the last run failed, or what it lacked, until the SQL changes, with its values. */
  failed: ({ args: Values } & ({ failure: Failure } | { missing: string[] })) | null;
  onChange: (args: Values) => void;
}

/** How long the SQL stays the same before the server finds its parameters, in milliseconds. */
const pause = 300;

/** A field for each parameter of SQL, of the type that the server infers. */
export function ParameterFields({ query, failed, onChange }: ParameterFieldsProps) {
  const viewer = useViewer();
  const { args, dialect } = query;
  const fields = fieldsOf(query, useFound(query));
  // A value that was changed after the run has not failed.
  const problemAt = (name: string): string | null => {
    if (failed === null || String(failed.args[name] ?? '') !== String(args[name] ?? '')) return null;
    if ('failure' in failed) return problemOf(failed.failure, name);
    return failed.missing.includes(name) ? 'Give a value.' : null;
  };
  if (fields.length === 0) return null;
  return (
    <div className="run-form">
      {fields.map((field) => {
        const { name } = field;
        const permitted = permittedValues(viewer, field);
        return (
          <ParameterField
            key={name}
            parameter={{ ...field, name: dialect.prefix + name }}
            values={permitted?.length === 1 ? permitted : (args[name] ?? [])}
            permitted={permitted}
            suggestions={permitted ?? []}
            problem={problemAt(name)}
            onChange={(values) => onChange({ ...args, [name]: values })}
          />
        );
      })}
    </div>
  );
}

/** The parameters that the server has found in SQL; while the SQL has a mistake, the last ones it found. */
function useFound(query: Query): readonly Found[] {
  const { client } = useServices();
  const [found, setFound] = useState<readonly Found[] | null>(null);
  const { sql, dialect } = query;
  const wanted = fieldsOf(query, []).length > 0;
  const isFirst = found === null;
  const latest = useRef(query.args);
  latest.current = query.args;
  useEffect(() => {
    if (!wanted) return;
    const controller = new AbortController();
    const timer = setTimeout(
      () =>
        findParameters(client, { dialect, sql, args: latest.current }, controller.signal).then(
          setFound,
          () => undefined,
        ),
      isFirst ? 0 : pause,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [client, dialect, sql, wanted, isFirst]);
  return found ?? [];
}
