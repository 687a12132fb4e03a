import { useState } from 'react';
import { type Failure, toFailure } from '../api/failure';
import { useServices } from '../app/context';
import { saveFile } from '../ui/saveFile';

/** The formats of downloads, by the ending of the file. */
const formats = [
  { name: 'CSV', ending: 'csv', accept: 'text/csv' },
  { name: 'JSON', ending: 'json', accept: 'application/json' },
];

interface DownloadButtonsProps {
  /** The name of the saved query, and of the file. */
  name: string;
  /** The address of the rows. */
  path: string;
}

/** Downloads the rows as files. */
export function DownloadButtons({ name, path }: DownloadButtonsProps) {
  const { client } = useServices();
  const [failure, setFailure] = useState<Failure | null>(null);
  const download = async (ending: string, accept: string): Promise<void> => {
    try {
      saveFile(await client.download(path, accept), `${name}.${ending}`);
      setFailure(null);
    } catch (thrown) {
      setFailure(toFailure(thrown));
    }
  };
  return (
    <>
      {formats.map(({ name: format, ending, accept }) => (
        <button key={ending} type="button" className="button" onClick={() => void download(ending, accept)}>
          Download {format}
        </button>
      ))}
      {failure === null ? null : (
        <span className="field-problem" role="alert">
          The download failed: {failure.details.message}
        </span>
      )}
    </>
  );
}
