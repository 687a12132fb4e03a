import { type ReactNode, useId } from 'react';

/** The attributes of a control that link it to its label and its error. */
interface ControlProps {
  id: string;
  'aria-invalid'?: true;
  'aria-describedby'?: string;
}

interface FieldProps {
  label: string;
  /** What is wrong with the value. */
  problem: string | null;
  children: (control: ControlProps) => ReactNode;
}

/** A control with its label above it, and its error below. */
export function Field({ label, problem, children }: FieldProps) {
  const id = useId();
  const invalid = problem === null ? {} : ({ 'aria-invalid': true, 'aria-describedby': `${id}-problem` } as const);
  return (
    <div className="field stack">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      {children({ id, ...invalid })}
      <FieldProblem id={`${id}-problem`} problem={problem} />
    </div>
  );
}

/** The error of a field. */
export function FieldProblem({ id, problem }: { id: string; problem: string | null }) {
  return problem === null ? null : (
    <p id={id} className="field-problem" role="alert">
      {problem}
    </p>
  );
}
