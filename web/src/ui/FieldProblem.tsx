/** What is wrong with the value of a field, which names this as its description. */
export function FieldProblem({ id, problem }: { id: string; problem: string | null }) {
  return problem === null ? null : (
    <p id={id} className="field-problem" role="alert">
      {problem}
    </p>
  );
}

/** What a field says of itself to assistive technology while it has a problem. */
export function problemProps(id: string, problem: string | null) {
  return problem === null ? {} : { 'aria-invalid': true, 'aria-describedby': id };
}
