import { AGENTS } from '../../agents/rules/agents.ts'
import { readingOf } from '../../agents/rules/recorded-rules.ts'

const READERS = new Set(['cat', 'head', 'tail', 'less', 'more', 'nl', 'sed', 'bat'])

/** The files that a shell command shows, in clear cases only. */
export function filesRead(command: unknown): string[] {
  const text = Array.isArray(command) ? command.at(-1) : command
  if (typeof text !== 'string' || text.length > LONGEST_COMMAND) return []
  return text.split(/&&|\|\||[;|\n]/).flatMap((part) => {
    const [program = '', ...words] = wordsOf(part)
    return READERS.has(program.replace(/^.*\//, '')) ? words.filter((word) => !word.startsWith('-')) : []
  })
}

const LONGEST_COMMAND = 4096

function wordsOf(part: string): string[] {
  const words = part.matchAll(/"([^"$`\\]*)"|'([^']*)'|([^\s"']+)/g)
  return [...words]
    .map(([, double, single, bare]) => double ?? single ?? bare ?? '')
    .filter((word) => !/[$`\\<>(){}*?]/.test(word))
}

/** The skill that a `SKILL.md` belongs to, if it is in a folder that the agent reads. */
export function skillOfFile(
  agentId: string,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const [, root, name] = /^(.*)\/([^/]+)\/SKILL\.md$/.exec(file) ?? []
  const agent = AGENTS.find(({ id }) => id === agentId)
  if (root === undefined || agent === undefined) return undefined
  const { userFolder, projectFolder, home } = agent
  const moved = home && env[home.variable]
  const own = moved === undefined || moved === '' ? [home?.folder ?? ''] : [home?.folder ?? '', moved]
  const places = readingOf(agent).places.flatMap(({ from, path }) =>
    from === 'own' ? own.map((folder) => `${folder}/${path}`) : [path],
  )
  const folders = [...(userFolder === undefined ? [] : [userFolder]), projectFolder, ...places]
  return folders.some((folder) => `${root}/`.endsWith(`/${folder.replace(/^\//, '')}/`)) ? name : undefined
}
