import { allIssues, earlierCodes, readRow } from '../src/text/issues.ts'

/** The page `docs/errors.md`: the table of issues, a row for each code. */
export function errorReference(): string {
  const sections = Object.entries(allIssues()).map(([subject, rows]) => {
    const codes = Object.entries(rows).filter(([name]) => !name.includes('/'))
    const lines = codes.map(([code, row]) => {
      const { sentence, remedy = '' } = readRow(row)
      return `| \`${code}\` | ${shown(sentence)} | ${shown(remedy)} |`
    })
    return [`## ${subject}`, '', '| code | cause | remedy |', '| --- | --- | --- |', ...lines, ''].join('\n')
  })
  const moved = Object.entries(earlierCodes()).map(
    ([code, earlier]) => `- \`${code}\`: ${earlier.split(' ').join(', ')}`,
  )
  return [
    HEAD,
    ...sections,
    '## Earlier codes',
    '',
    'A code that now stands for what others said before:',
    '',
    ...moved,
    '',
  ].join('\n')
}

/** A sentence with its facts in italics. */
function shown(text: string): string {
  const safe = text
    .replace(/<(\w[\w ]*)>(?![^`]*`[^`]*$)/g, '*$1*')
    .replace(/\{(\w+)\}/g, '*$1*')
    .replaceAll('|', '\\|')
  const whole = safe === '' || /[.`]$/.test(safe) ? safe : `${safe}.`
  return whole.replace(/^[a-z]/, (letter) => letter.toUpperCase())
}

const HEAD = `# Error codes

Every error and finding carries one of these codes; \`--json\` prints it as \`code\`. A message also names what it is about
and what to do. \`npm run docs\` writes this page.
`
