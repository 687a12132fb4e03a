import { type Failure, problemOf } from '../api/failure';
import { permittedValues, useViewer } from '../app/viewer';
import { ParameterField } from '../endpoints/ParameterField';
import { shownParameter } from './dialect';
import { fieldsOf } from './fields';
import type { Found, Query, Values } from './run';

interface ParameterFieldsProps {
  query: Query;
  /** The parameters that the server has found. */
  found: readonly Found[];
  /** Why the last run failed, or what it lacked, until the SQL changes, with its values. */
  failed: ({ args: Values } & ({ failure: Failure } | { missing: string[] })) | null;
  onChange: (args: Values) => void;
}

/** A field for each parameter of SQL, of the type that the server infers. */
export function ParameterFields({ query, found, failed, onChange }: ParameterFieldsProps) {
  const viewer = useViewer();
  const { args, dialect } = query;
  const fields = fieldsOf(query, found);
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
            parameter={{ ...field, name: shownParameter(name, dialect) }}
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
