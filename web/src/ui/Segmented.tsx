interface SegmentedProps<Value extends string> {
  label: string;
  /** Whether the label is visible, above the choices. */
  labelled?: boolean;
  choices: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
}

/** Radio buttons, shown side by side. */
export function Segmented<Value extends string>(props: SegmentedProps<Value>) {
  const { label, labelled = false, choices, value, onChange } = props;
  return (
    <fieldset className="stack">
      <legend className={labelled ? 'label' : 'visually-hidden'}>{label}</legend>
      <div className="segmented row">
        {choices.map((choice) => (
          <label key={choice.value}>
            <input
              className="visually-hidden"
              type="radio"
              name={label}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onChange(choice.value)}
            />
            <span>{choice.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
