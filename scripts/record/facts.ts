import { librarySkills, nameAt, PLACES, type World } from '../../test/agents/worlds.ts'
import type { Client } from './clients.ts'
import type { ModelRequest } from './scripted-model.ts'

/** What a client told its model about one skill. */
interface ListedSkill {
  name: string
  description: string
  /** Of all that it takes in the list, with its line end. */
  characters: number
}

/** Everything that a request says, in its order. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

/** The request of a run that carries the prompt to the main model: the longest. */
export function mainRequest(requests: readonly ModelRequest[]): ModelRequest {
  const [longest] = [...requests].sort((a, b) => b.bytes - a.bytes)
  if (longest === undefined) throw new Error('the client sent nothing to its model')
  return longest
}

export function modelOf({ body, path }: ModelRequest): string {
  return typeof body.model === 'string' ? body.model : (/models\/([^:]+):/.exec(path)?.[1] ?? 'not named')
}

/** Folders that differ from run to run are shortened to `~`, so that sizes can be compared. */
export function listedSkills({ list }: Client, request: ModelRequest, folders: readonly string[]): ListedSkill[] {
  const texts = textsOf(request.body).map((text) =>
    folders.reduce((short, folder) => short.replaceAll(folder, '~'), text),
  )
  return list === 'dashes' ? texts.flatMap(dashes) : texts.flatMap(elements)
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
      const [, name = '', said = ''] = /^- ([^\s:]+(?::[^\s:]+)*)(?: \([^)]*\))?(?::\s*([\s\S]*))?$/.exec(entry) ?? []
      return { name, description: unescaped(said.replace(/ ?\(file: [^)]*\)$/, '')), characters: entry.length + 1 }
    })
}

/** `<skill>` with a name and a description inside; those without are named in one line at the end. */
function elements(text: string): ListedSkill[] {
  const section = /<available_skills>([\s\S]*?)<\/available_skills>/.exec(text)?.[1] ?? ''
  const whole = [...section.matchAll(/[ ]*<skill>[\s\S]*?<\/skill>\n/g)].map(([element]) => ({
    name: inside(element, 'name'),
    description: inside(element, 'description'),
    characters: element.length,
  }))
  const names = /invoke by name\): (.*)/.exec(section)?.[1]?.split(', ') ?? []
  return [...whole, ...names.map((name) => ({ name, description: '', characters: name.length + 2 }))]
}

function inside(element: string, tag: string): string {
  return unescaped(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(element)?.[1]?.trim() ?? '')
}

function unescaped(text: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", amp: '&' }
  return text.replaceAll(/&(lt|gt|quot|apos|#39|amp);/g, (_, name: string) => named[name] ?? '')
}

/**
 * For each skill of a library in its order, how many characters of its description were listed: 0 when only its name is,
 * null when not even that. A text that is not the beginning of the description is a mistake of this reader, or news.
 */
export function shownOf(skills: readonly ListedSkill[], size: number): (number | null)[] {
  const listed = new Map(skills.map((skill) => [skill.name, skill]))
  return librarySkills(size).map(({ name, description }) => {
    const shown = listed.get(name)?.description
    if (shown === undefined) return null
    const beginning = shown.replace(/(\u2026|\.\.\.)$/, '')
    if (!description.startsWith(beginning)) throw new Error(`${name} is listed as ${JSON.stringify(shown)}`)
    return shown.length
  })
}

/** What comes with the client: name, and characters in the list. */
export function ownOf(skills: readonly ListedSkill[]): [name: string, characters: number][] {
  return skills.flatMap(({ name, characters }) =>
    name.startsWith('skill-0') || /^skill-\d/.test(name) ? [] : [[name, characters]],
  )
}

export interface PlaceFacts {
  /** Places whose skill is listed, in the order of the list. */
  read: string[]
  /** Of the skill that is in all of them: the places it is listed from. */
  twice: string[]
}

export function placesOf(skills: readonly ListedSkill[]): PlaceFacts {
  const places = new Map(PLACES.map((place) => [nameAt(place), place]))
  return {
    read: skills.flatMap(({ name }) => places.get(name) ?? []),
    twice: skills.flatMap(({ name, description }) =>
      name === 'twice' ? [description.replace(/^Read from (.*)\.$/, '$1')] : [],
    ),
  }
}

/** How many bytes of each file reached the model, in the order of the request. */
export function instructionsOf(world: World, request: ModelRequest): [path: string, bytes: number][] {
  const text = textsOf(request.body).join('\n')
  return Object.entries(world)
    .map(([path, content]) => ({
      path,
      bytes: longestBeginning(content, text),
      at: text.indexOf(content.slice(0, 60)),
    }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ path, bytes }) => [path, bytes])
}

function longestBeginning(content: string, text: string): number {
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
