import { textWidth } from '../../text/text-width.ts'
import type { Client, LinePattern } from './clients.ts'

/** A request that a client sent to its model. */
export interface ModelRequest {
  path: string
  body: Readonly<Record<string, unknown>>
  bytes: number
}

/** What a client told its model about one skill. */
export interface ListedSkill {
  name: string
  description: string
  /** Of all that it takes in the list, with its line end; and the width of it without. */
  characters: number
  columns: number
}

/** Everything that a request says, in its order. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

/** The request of a run that carries the prompt to the main model: the longest. */
export function mainRequest(requests: readonly ModelRequest[]): ModelRequest | undefined {
  return [...requests].sort((a, b) => b.bytes - a.bytes)[0]
}

export function modelOf({ body, path }: ModelRequest): string {
  return typeof body.model === 'string' ? body.model : (/models\/([^:]+):/.exec(path)?.[1] ?? 'not named')
}

/** The list of skills in a request. `shortenings`: beginnings of paths that differ from run to run, and what replaces them. */
export function listedSkills(
  { list, addition }: Client,
  request: ModelRequest,
  shortenings: readonly (readonly [folder: string, short: string])[],
): ListedSkill[] {
  const texts = textsOf(request.body).map((text) =>
    shortenings.reduce((shorter, [folder, short]) => shorter.replaceAll(folder, short), text),
  )
  const skills = texts.flatMap(
    list === 'dashes' ? dashes : list === 'elements' ? elements : (text) => lines(text, list),
  )
  if (addition === undefined) return skills
  return skills.map((skill) => ({ ...skill, description: skill.description.replace(addition, '') }))
}

/** `- name: description`, behind a heading; with `(file: …)` where the client says where a skill is. */
function dashes(text: string): ListedSkill[] {
  const heading = /skills are available for use with the Skill tool:\n\n|### Available skills\n/.exec(text)
  if (heading === null) return []
  const rest = text.slice(heading.index + heading[0].length)
  const section = rest.slice(0, /\n\nToday's date|\n<\/|\n#|$(?![\s\S])/.exec(rest)?.index)
  return section
    .split(/\n(?=- )/)
    .filter((entry) => entry.startsWith('- '))
    .map((entry) => {
      const [, name = '', said = ''] =
        /^- ([^\s:]+(?::[^\s:]+)*)(?: \([^)]*\))?(?::\s*([\s\S]*))?$/.exec(entry.trimEnd()) ?? []
      const description = unescaped(said.replace(/ ?\(file: [^)]*\)$/, ''))
      return { name, description, characters: entry.length + 1, columns: textWidth(entry) }
    })
}

/** `<skill>` with a name and a description inside; those without are named in one line at the end. */
function elements(text: string): ListedSkill[] {
  const section = /<available_skills>([\s\S]*?)<\/available_skills>/.exec(text)?.[1] ?? ''
  const whole = [...section.matchAll(/[ ]*<skill>[\s\S]*?<\/skill>\n/g)].map(([element]) => ({
    name: inside(element, 'name'),
    description: inside(element, 'description'),
    characters: element.length,
    columns: element.length,
  }))
  const names = /invoke by name\): (.*)/.exec(section)?.[1]?.split(', ') ?? []
  const named = names.map((name) => ({ name, description: '', characters: name.length + 2, columns: name.length + 2 }))
  return [...whole, ...named]
}

function lines(text: string, { after, entry }: LinePattern): ListedSkill[] {
  const heading = after.exec(text)
  if (heading === null) return []
  const section = text.slice(heading.index + heading[0].length).split('\n</')[0]!
  return [...section.matchAll(entry)].map(([line, name = '', description = '']) => {
    return { name, description: unescaped(description), characters: line.length, columns: line.length }
  })
}

function inside(element: string, tag: string): string {
  return unescaped(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(element)?.[1]?.trim() ?? '')
}

function unescaped(text: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", amp: '&' }
  return text.replaceAll(/&(lt|gt|quot|apos|#39|amp);/g, (_, name: string) => named[name] ?? '')
}

/** How many characters of a file, from its beginning, are in a text. */
export function sentBeginning(content: string, text: string): number {
  // A client may trim the end.
  if (text.includes(content.trimEnd())) return content.length
  let [least, most] = [0, content.length]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (text.includes(content.slice(0, middle))) least = middle
    else most = middle - 1
  }
  return least
}
