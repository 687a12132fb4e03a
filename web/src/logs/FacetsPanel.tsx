import { mayRun, useViewer } from '../app/viewer';
import { Skeleton } from '../ui/states';
import { Facets } from './Facets';
import type { Term } from './query';
import type { Overview } from './useOverview';

interface FacetsPanelProps {
  overview: Overview;
  terms: readonly Term[];
  onToggle: (term: Term) => void;
}

/** The facets, or their place while they load, so that the entries beside them do not jump. */
export function FacetsPanel({ overview: { facets, outdated, failure }, terms, onToggle }: FacetsPanelProps) {
  const viewer = useViewer();
  if (facets !== null) return <Facets rows={facets} terms={terms} outdated={outdated.facets} onToggle={onToggle} />;
  if (failure !== null || !mayRun(viewer, 'logs.facets')) return null;
  return (
    <div className="facets-place">
      <Skeleton label="Loading the facets" height="rows" />
    </div>
  );
}
