import { useState } from 'react';
import { useProjectList } from '../app/lists';
import { useUsed } from '../app/remembered';
import { useViewer } from '../app/viewer';
import { SelectField } from './SelectField';
import { TextField } from './TextField';

interface ProjectFieldProps {
  label?: string;
  project: string;
  placeholder?: string;
  /** Whether the project exists, so that it can be suggested later. */
  exists: boolean;
  problem: string | null;
  onChange: (project: string) => void;
}

/** The project of a page: one of those that the token allows, or any. */
export function ProjectField({
  label = 'Project',
  project,
  placeholder = '',
  exists,
  problem,
  onChange,
}: ProjectFieldProps) {
  const { projects } = useViewer();
  const used = useUsed('project', project, exists);
  const [wanted, setWanted] = useState(false);
  const listed = useProjectList(wanted && projects === null);
  if (projects === null) {
    return (
      <TextField
        label={label}
        value={project}
        placeholder={placeholder}
        suggestions={[...used, ...listed]}
        problem={problem}
        onFocus={() => setWanted(true)}
        onCommit={onChange}
      />
    );
  }
  // A link may name another one, which the server rejects.
  const choices = projects.includes(project) ? projects : [project, ...projects];
  return (
    <SelectField
      label="Project"
      choices={choices.map((value) => ({ value, label: value }))}
      value={project}
      problem={problem}
      onChange={onChange}
    />
  );
}
