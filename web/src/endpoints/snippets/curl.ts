import { type Arguments, type Endpoint, restPath, sentArguments } from '../rest';
import type { Server } from './server';

/** Between the lines of a command. */
export const continued = ' \\\n  ';

/** A command for a shell. */
export function curlSnippet(server: Server, endpoint: Endpoint, args: Arguments): string {
  return [
    `curl --get ${quote(server.origin + restPath(endpoint, {}))}`,
    ...(server.authenticated ? ['-H "Authorization: Bearer $SAVEDQ_TOKEN"'] : []),
    ...sentArguments(endpoint, args).map(([name, value]) => `--data-urlencode ${quote(`${name}=${value}`)}`),
  ].join(continued);
}

/** Quotes a word for a POSIX shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
