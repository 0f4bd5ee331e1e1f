import { failWith } from '../../text/trouble.ts'
import { compareText, isRecord } from '../../text/values.ts'
import { EVERY_AGENT, nameProblem, type Skill } from './skill.ts'

/** What a skill says it cannot work without. */
export interface Need {
  /** The skill that is needed. */
  name: string
  /** As written, if it names a repository: `owner/repo`, with `#ref` if a version is meant. */
  source?: string
  /** A range such as `>=1.2`: Loadout follows tags and commits, and reports ranges. */
  range?: string
  /** False: some skills list programs under the same key, so it counts only if a skill has this name. */
  isSure: boolean
}

const SURE = ['requires', 'depends', 'depends_on', 'depends-on']

/**
 * The skills that a skill needs: `requires` of its skill.json, and the keys that public skills use in frontmatter. A
 * key below `metadata` may list names in one text.
 */
export function needsOf({ metadata, others, name: own }: Pick<Skill, 'metadata' | 'others' | 'name'>): Need[] {
  const fields: Record<string, unknown> = metadata[EVERY_AGENT] ?? {}
  const inMetadata = isRecord(fields.metadata) ? fields.metadata : {}
  const found = [
    ...SURE.flatMap((key) => [others[key], fields[key], inMetadata[key]]).flatMap((value) => readNeeds(value, true)),
    ...[others.dependencies, fields.dependencies, inMetadata.dependencies].flatMap((value) => readNeeds(value, false)),
  ].filter(({ name }) => name !== own)
  return [...new Map(found.reverse().map((need) => [need.name, need])).values()].sort((a, b) =>
    compareText(a.name, b.name),
  )
}

function readNeeds(value: unknown, isSure: boolean): Need[] {
  if (typeof value === 'string') return value.split(/[\s,]+/).flatMap((word) => readNeed(word, isSure))
  if (Array.isArray(value)) return value.slice(0, 1000).flatMap((each) => readNeed(each, isSure))
  return isRecord(value) && !isSure ? readNeeds(value.skills, isSure) : []
}

function readNeed(value: unknown, isSure: boolean): Need[] {
  if (isRecord(value)) {
    const { name, skill = name, source, git = source, ref } = value
    if (typeof skill !== 'string' || nameProblem(skill) !== undefined) return []
    const address = typeof git === 'string' ? `${git}${typeof ref === 'string' ? `#${ref}` : ''}` : undefined
    return [{ name: skill, source: address, isSure }]
  }
  if (typeof value !== 'string' || value.length > 300) return []
  // owner/repo/…/name#ref, or owner/repo@name
  const [, repository, folder, at, ref = ''] =
    /^((?:[a-z]+:)?[\w.-]+\/[\w.-]+?)(?:\/((?:[\w.-]+\/)*[\w.-]+))?(?:@([\w-]+))?(#[\w./-]+)?$/.exec(value) ?? []
  const last = at ?? folder?.split('/').at(-1)
  if (repository !== undefined && last !== undefined && nameProblem(last) === undefined) {
    return [{ name: last, source: `${repository}${ref}`, isSure }]
  }
  const [, name = '', range] = /^([a-z0-9-]+)(?:@?([<>=^~]*\d[\w.*-]*))?$/.exec(value) ?? []
  return nameProblem(name) === undefined ? [{ name, range, isSure }] : []
}

/** The skills of a library that need one of these, apart from these. */
export function neededBy(names: readonly string[], skills: readonly Skill[]): Map<string, string[]> {
  const needers = (name: string) =>
    skills.filter(
      (skill) => !names.includes(skill.name) && needsOf(skill).some((need) => need.name === name && need.isSure),
    )
  return new Map(
    names.flatMap((name) => {
      const by = needers(name).map((skill) => skill.name)
      return by.length === 0 ? [] : [[name, by.sort(compareText)] as const]
    }),
  )
}

/** The names and what they need of a library, each after what it needs. Throws for a need that nothing meets. */
export function withNeeded(names: readonly string[], skills: readonly Skill[]): string[] {
  const byName = new Map(skills.map((skill) => [skill.name, skill]))
  return inOrderOfNeed(names, (name) => {
    const skill = byName.get(name)
    return (skill === undefined ? [] : needsOf(skill)).flatMap((need) => {
      if (byName.has(need.name)) return [need.name]
      if (need.isSure) throw failWith('NEEDS/library', { name, needed: need.name })
      return []
    })
  })
}

/**
 * The names and everything that they need, each after what it needs itself, and otherwise in the order of the names: the
 * same on every machine. Throws for a cycle.
 */
export function inOrderOfNeed(names: readonly string[], needs: (name: string) => readonly string[]): string[] {
  const done = new Set<string>()
  const path: string[] = []
  const open = new Set<string>()
  // A list instead of calls: a long chain of skills must not end the program.
  for (const start of [...names].sort(compareText)) {
    const rest: { name: string; left: string[] }[] = []
    const enter = (name: string) => {
      if (done.has(name)) return
      if (open.has(name)) {
        throw failWith('NEEDS/cycle', { path: [...path.slice(path.indexOf(name)), name].join(' → ') })
      }
      open.add(name)
      path.push(name)
      rest.push({ name, left: [...new Set(needs(name))].sort(compareText).reverse() })
    }
    enter(start)
    for (let top = rest.at(-1); top !== undefined; top = rest.at(-1)) {
      const next = top.left.pop()
      if (next !== undefined) enter(next)
      else {
        rest.pop()
        path.pop()
        open.delete(top.name)
        done.add(top.name)
      }
    }
  }
  return [...done]
}
