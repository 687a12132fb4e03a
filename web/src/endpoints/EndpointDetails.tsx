import { lazy, Suspense } from 'react';
import { useServices } from '../app/context';
import { permittedValues, useViewer } from '../app/viewer';
import { CopyButton } from '../ui/CopyButton';
import { formatCount } from '../ui/numbers';
import { Skeleton, Warning } from '../ui/states';
import { type EndpointsState, writeEndpoints } from './address';
import { cachingOf } from './caching';
import { RunForm } from './RunForm';
import type { Arguments, Endpoint } from './rest';

const EndpointFacts = lazy(() => import('./EndpointFacts'));

interface EndpointDetailsProps {
  endpoint: Endpoint;
  state: EndpointsState;
}

/** The details of one saved query. */
export function EndpointDetails({ endpoint, state }: EndpointDetailsProps) {
  const { address } = useServices();
  const viewer = useViewer();
  // The only value that the token allows, the highest tier, and the project of the other pages are defaults.
  const usual: Arguments = Object.fromEntries(
    endpoint.parameters.flatMap((parameter): [string, readonly string[]][] => {
      const permitted = permittedValues(viewer, parameter);
      if (permitted?.length === 1) return [[parameter.name, permitted]];
      if (parameter.scope === 'tier') return [[parameter.name, (permitted ?? parameter.allowed).slice(-1)]];
      return parameter.scope === 'project' ? [[parameter.name, [state.project]]] : [];
    }),
  );
  const args = { ...usual, ...state.args };
  const replace = (part: Partial<EndpointsState>): void => address.replace(writeEndpoints({ ...state, args, ...part }));
  return (
    <article className="sections">
      <section className="panel box sections">
        <div className="head row">
          <h2>{endpoint.name}</h2>
          <CopyButton label="Copy id" text={() => endpoint.id} />
        </div>
        {endpoint.deprecated === null ? null : <Warning title="Deprecated.">{endpoint.deprecated}</Warning>}
        <p>
          {endpoint.description} <span className="muted small">{inShort(endpoint)}</span>
        </p>
        <RunForm
          endpoint={endpoint}
          args={args}
          project={state.project}
          look={state.look}
          onChange={(next) => replace({ args: withoutEmpty(next, usual) })}
          onLook={(part) => replace({ look: { ...state.look, ...part } })}
        />
      </section>
      <Suspense fallback={<Skeleton label="Loading the details" height="snippet" />}>
        <EndpointFacts endpoint={endpoint} args={args} project={state.project} />
      </Suspense>
    </article>
  );
}

/** Drops single empty values, except where they replace the usual one. */
function withoutEmpty(args: Arguments, usual: Arguments): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([name, values]) => String(values) !== '' || name in usual));
}

/** What a reader wants to know before a run. */
function inShort(endpoint: Endpoint): string {
  const caching = endpoint.cacheSeconds === null ? 'not cached' : `cached for ${cachingOf(endpoint)}`;
  return `At most ${formatCount(endpoint.maxRows)} rows, ${caching}.`;
}
