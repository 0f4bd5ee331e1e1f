import { type ListedSkill, type ModelRequest, sentBeginning, textsOf } from '../../src/agents/rules/sent.ts'
import { librarySkills, nameAt, PLACES, type World } from '../../test/agents/worlds.ts'

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
      bytes: sentBeginning(content, text),
      at: text.indexOf(content.slice(0, 60)),
    }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ path, bytes }) => [path, bytes])
}
