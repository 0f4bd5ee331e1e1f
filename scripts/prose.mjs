// Finds phrases that a reader in a hurry has to read twice, in the documents and in the comments and messages of the
// sources. Text between backticks or in a code block is not prose.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A phrase, and what to write instead. */
const PHRASES = [
  [/\b(?:nobody|somebody|whoever)\b/i, 'say who: you, a user, Loadout, the agent'],
  [/\bin vain\b/i, '"loaded but never used"'],
  [/\b(?:is|are|was|were) told\b/i, 'say who reports it: "Loadout reports …"'],
  [
    /(?<!there )\b(?:is|was) no (?!longer\b|more\b|other\b|such\b|need\b|room\b|way\b|\w+ (?:to|that|for|of|in|on|with|yet)\b)\w/i,
    '"is not a …"',
  ],
  [/^Who (?:wants|has|needs|uses)\b/m, '"If you want …"'],
  [/\bbelongs? into\b/i, '"belongs in"'],
  [/\bone word too many\b/i, '"Unexpected argument: …"'],
  [/\bneeds to know what to do\b/i, '"Missing subcommand: …"'],
  [/\bsomething went wrong\b/i, 'say what happened'],
  [/\bout of the way\b/i, 'say what is left out'],
  [/\bThe same for\b/, 'repeat the verb'],
  [/\b(?:simply|just|obviously|of course|easily)\b(?! (?:been|run|made|now|ended))/i, 'leave it out'],
  [
    /(?<![.\w])1 (?:\w+s)\b(?<!1 (?:ms|s|class|status|process|address|access|alias|bus|less|always))/,
    'one thing is singular',
  ],
]

const files = execFileSync('git', ['ls-files', '*.md', 'src/*.ts', 'src/*.tsx'], { encoding: 'utf8' })
  .trim()
  .split('\n')
// Not prose for people: samples, tests, lists of words and patterns, and the fences that only models read.
const isChecked = (path) =>
  !/^(?:sample|knowledge|test)\/|\.test\.tsx?$|\.fixture\.ts$|word-lists|lexicon|injections|\/review\/|packs\/rules\/fence\.ts/.test(
    path,
  )
const found = files.filter(isChecked).flatMap((path) => {
  const text = readFileSync(path, 'utf8')
  const lines = path.endsWith('.md') ? proseOf(text) : messagesOf(text, path.endsWith('.tsx'))
  return lines.flatMap(([line, prose]) =>
    PHRASES.filter(([phrase]) => phrase.test(prose)).map(
      ([phrase, instead]) => `${path}:${line}  "${phrase.exec(prose)[0].trim()}": ${instead}`,
    ),
  )
})
for (const row of found) console.error(row)
if (found.length > 0) {
  console.error(`\nto rewrite: ${found.length}`)
  process.exitCode = 1
}

/** The lines of a Markdown file without code. */
function proseOf(text) {
  const rows = []
  let isCode = false
  for (const [at, line] of text.split('\n').entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode
    else if (!isCode) rows.push([at + 1, line.replace(/`[^`]*`/g, '`')])
  }
  return rows
}

/** Comments, and texts of a source file that have a blank in them. In JSX a text may stand anywhere on a line. */
function messagesOf(text, isPage) {
  return text.split('\n').map((line, at) => {
    if (isPage) return [at + 1, line]
    const comment = /^\s*(?:\/\*\*|\*|\/\/)(.*)/.exec(line)?.[1] ?? ''
    const texts = [...line.matchAll(/'((?:[^'\\]|\\.)*)'|`([^`]*)`/g)]
      .map((match) => match[1] ?? match[2])
      .filter((each) => each.includes(' '))
    return [at + 1, [comment, ...texts].join('\n')]
  })
}
