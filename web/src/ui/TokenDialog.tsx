import { lazy, Suspense } from 'react';
import type { Session } from '../api/session';
import { useObservable } from '../app/observable';

const SignIn = lazy(async () => ({ default: (await import('./SignIn')).SignIn }));

/** Asks for a token after the server has rejected a request. */
export function TokenDialog({ session }: { session: Session }) {
  const access = useObservable(session);
  return access.denied ? (
    <Suspense>
      <SignIn session={session} />
    </Suspense>
  ) : null;
}
