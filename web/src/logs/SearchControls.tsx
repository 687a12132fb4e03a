import { type Failure, problemOf } from '../api/failure';
import type { LogsState } from '../app/routes';
import { SelectField } from '../ui/SelectField';
import { TextField } from '../ui/TextField';
import { LogControls } from './LogControls';
import { useSourceChoices } from './sources';

interface SearchControlsProps {
  state: LogsState;
  /** Whether the project exists. */
  exists: boolean;
  failure: Failure | null;
  onChange: (part: Partial<LogsState>) => void;
}

/** The filters with a text field, and their arguments. */
const texts = [
  { name: 'text', label: 'Message contains', argument: 'text', placeholder: 'Case-insensitive' },
  { name: 'status', label: 'Status', argument: 'status', placeholder: '404 or 5xx' },
  { name: 'method', label: 'Method', argument: 'method', placeholder: 'GET' },
  { name: 'path', label: 'Path starts with', argument: 'pathPrefix', placeholder: '/rest/v1/' },
] as const;

/** The filters of the search. */
export function SearchControls(props: SearchControlsProps) {
  const { state, failure, onChange } = props;
  const sources = useSourceChoices(state.source);
  // What is searched stays the filter of live events.
  const change = (part: Partial<LogsState>): void =>
    onChange(part.live === true && state.filter === '' ? { ...part, filter: state.text } : part);
  return (
    <>
      <LogControls {...props} onChange={change} />
      <div className="controls row">
        <SelectField
          label="Source"
          choices={sources}
          value={state.source}
          problem={problemOf(failure, 'source')}
          onChange={(source) => onChange({ source })}
        />
        {texts.map(({ name, label, argument, placeholder }) => (
          <TextField
            key={name}
            label={label}
            value={state[name]}
            placeholder={placeholder}
            problem={problemOf(failure, argument)}
            onCommit={(text) => onChange({ [name]: text })}
          />
        ))}
      </div>
    </>
  );
}
