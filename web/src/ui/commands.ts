/** The entries whose names have all words of a text, those that begin with it first. */
export function matching<Entry extends { name: string }>(entries: readonly Entry[], text: string): Entry[] {
  const whole = text.trim().toLowerCase();
  const words = whole.split(/\s+/);
  const found = entries.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const begins = ({ name }: Entry): boolean => name.toLowerCase().startsWith(whole);
  return [...found.filter(begins), ...found.filter((entry) => !begins(entry))];
}
