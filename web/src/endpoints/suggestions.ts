import { idsOf, useFunctionList, useProjectList } from '../app/lists';
import type { Arguments, Endpoint, Parameter } from './rest';

/** The values that each parameter suggests: projects, and the functions of the project. */
export function useSuggestions(endpoint: Endpoint, args: Arguments, wanted: boolean) {
  const projects = useProjectList(wanted && endpoint.parameters.some(isProject));
  const scoped = endpoint.parameters.find(isProject);
  const functions = useFunctionList({
    project: args[scoped?.name ?? '']?.[0] ?? '',
    start: null,
    wanted: wanted && endpoint.parameters.some(isFunction),
  });
  return (parameter: Parameter): readonly string[] =>
    isProject(parameter) ? projects : isFunction(parameter) ? idsOf(functions.data) : [];
}

const isProject = ({ scope }: Parameter): boolean => scope === 'project';

/** Functions have no type of their own. */
const isFunction = ({ name }: Parameter): boolean => name === 'function_id';
