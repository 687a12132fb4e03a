/** An icon of 16 by 16 pixels, drawn as lines. */
function iconOf(path: string) {
  return () => (
    <svg
      className="icon"
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}

export const SunIcon = iconOf(
  'M8 5a3 3 0 0 0 0 6 3 3 0 0 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1M11.9 11.9 13 13M3 13l1.1-1.1M11.9 4.1 13 3',
);
export const MoonIcon = iconOf('M13.5 9.8A6 6 0 0 1 6.2 2.5a6 6 0 1 0 7.3 7.3Z');
export const SystemIcon = iconOf('M3 2.5h10a1.5 1.5 0 0 1 1.5 1.5v7.5h-13V4A1.5 1.5 0 0 1 3 2.5M5.5 14h5');
export const RefreshIcon = iconOf('M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 1.8V4.5h-2.7');
export const CopyIcon = iconOf('M7 5.5h6.5v8h-8V7A1.5 1.5 0 0 1 7 5.5M10.5 3V2.5h-8v8H3');
export const DotIcon = iconOf('M8 5a3 3 0 0 0 0 6 3 3 0 0 0 0-6');
export const CheckIcon = iconOf('m3 8.5 3.5 3.5L13 4.5');
export const ChevronIcon = iconOf('m6 4 4 4-4 4');
export const WarningIcon = iconOf('M8 2 14.5 13.5h-13ZM8 6.5v3M8 11.6v.1');
export const SignOutIcon = iconOf('M6 2.5H3v11h3M10.5 5l3 3-3 3M13 8H6');
/** A funnel with a plus: only what has the value. */
export const IncludeIcon = iconOf('M1.5 3h9L7.2 7.5v4L4.8 13V7.5ZM12 9v5M9.5 11.5h5');
/** A funnel with a minus: only what does not have the value. */
export const ExcludeIcon = iconOf('M1.5 3h9L7.2 7.5v4L4.8 13V7.5ZM9.5 11.5h5');
export const ColumnIcon = iconOf('M2 2.5h12v11H2ZM6 2.5v11M10 2.5v11');
export const CloseIcon = iconOf('m4 4 8 8M12 4l-8 8');
export const CalendarIcon = iconOf('M2 3.5h12v10.5H2ZM2 6.5h12M5 1.5v3.5M11 1.5v3.5');
