/** What every failed request is told to people as. */
export interface FailureDetails {
  /** A code of the server, such as INVALID_ARGUMENT, or one of {@link LocalCode}. */
  code: string;
  message: string;
  /** HTTP status; absent where no answer came. */
  status?: number;
  /** The id under which the server's log tells more. */
  requestId?: string;
  /** The argument or parameter at fault, where a single one is. */
  argument?: string;
}

/** Codes that are given here, because the server gave none. */
export type LocalCode = 'UNREACHABLE' | 'UNEXPECTED_RESPONSE';

/** A request that was not answered with what it asked for. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly details: FailureDetails;

  constructor(details: FailureDetails, options?: ErrorOptions) {
    super(details.message, options);
    this.details = details;
  }
}

/** Turns whatever was thrown into a failure. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new Failure({ code: 'UNEXPECTED_RESPONSE', message }, { cause: thrown });
}

/** Whether the request was given up by the page itself, which is no failure. */
export function isAbort(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'AbortError';
}

/** What a failure says about an argument; null where it is about something else. */
export function problemOf(failure: Failure | null, argument: string): string | null {
  if (failure === null || failure.details.argument !== argument) return null;
  const { message } = failure.details;
  const problem = message.startsWith(`${argument}: `) ? message.slice(argument.length + 2) : message;
  return problem.slice(0, 1).toUpperCase() + problem.slice(1);
}

/** Names the parameter that a failure over REST is about: the message begins with its name. */
export function withParameter(failure: Failure, parameters: readonly string[]): Failure {
  const { message } = failure.details;
  const argument = parameters.find((name) => message.startsWith(`${name}: `));
  return argument === undefined ? failure : new Failure({ ...failure.details, argument }, { cause: failure.cause });
}
