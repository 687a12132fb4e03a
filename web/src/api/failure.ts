/** What people see of a failed request. */
export interface FailureDetails {
  /** A code of the server, such as INVALID_ARGUMENT, or one of {@link LocalCode}. */
  code: string;
  message: string;
  /** HTTP status; absent without a response. */
  status?: number;
  /** The id of the request in the server's log. */
  requestId?: string;
  /** The argument or parameter that caused the error, if there is a single one. */
  argument?: string;
  /** The place of a mistake in SQL that was sent, from 1; the column in bytes of UTF-8. */
  line?: number;
  column?: number;
  /** The engine's message, which a server for development sends. */
  cause?: string;
}

/** Codes of the page itself. */
export type LocalCode = 'UNREACHABLE' | 'UNEXPECTED_RESPONSE';

/** A failed request. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly details: FailureDetails;

  constructor(details: FailureDetails, options?: ErrorOptions) {
    super(details.message, options);
    this.details = details;
  }
}

/** Converts anything thrown to a failure. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new Failure({ code: 'UNEXPECTED_RESPONSE', message }, { cause: thrown });
}

/** Reports whether a request got no response, as when the server has stopped. */
export function isUnreachable(failure: Failure | null): boolean {
  return failure?.details.code === 'UNREACHABLE';
}

/** Reports whether the page itself cancelled the request, which is not a failure. */
export function isAbort(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'AbortError';
}

/** The message about an argument; null if the failure is about something else. */
export function problemOf(failure: Failure | null, argument: string): string | null {
  if (failure === null || failure.details.argument !== argument) return null;
  const { message } = failure.details;
  const problem = message.startsWith(`${argument}: `) ? message.slice(argument.length + 2) : message;
  return problem.slice(0, 1).toUpperCase() + problem.slice(1);
}
