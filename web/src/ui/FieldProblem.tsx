/** The error of a field. */
export function FieldProblem({ id, problem }: { id: string; problem: string | null }) {
  return problem === null ? null : (
    <p id={id} className="field-problem" role="alert">
      {problem}
    </p>
  );
}

/** The attributes that link a field to its error. */
export function problemProps(id: string, problem: string | null) {
  return problem === null ? {} : { 'aria-invalid': true, 'aria-describedby': id };
}
