// A commit message is one argument of git, whose length is limited.
const MOST_NAMED = 500

/** `Delete skill a`, or `Delete 2 skills` with their names below; `from` ends the subject of several. */
export function messageAbout(verb: string, names: readonly string[], from = ''): string {
  if (names.length === 1) return `${verb} skill ${names[0]}`
  const more = names.length > MOST_NAMED ? `\nand ${names.length - MOST_NAMED} more` : ''
  return `${verb} ${names.length} skills${from}\n\n${names.slice(0, MOST_NAMED).join('\n')}${more}\n`
}
