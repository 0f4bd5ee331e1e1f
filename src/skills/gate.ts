import { join } from 'node:path'
import { Config } from '../agents/config.ts'
import { jsonCodec } from '../machine/cache.ts'
import { isFolder } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { realOrSame } from '../machine/open-project.ts'
import { Repository } from '../machine/repository.ts'
import type { Approval, Decision } from '../machine/rules/approval.ts'
import { answerFacts, type Closed, gate } from '../machine/rules/gate.ts'
import { listed } from '../text/count.ts'
import { type Finding, failWith, type LoadoutError, report } from '../text/trouble.ts'
import { compareText, isRecord, sha256 } from '../text/values.ts'
import { readContentFiles, readReviewFiles, type SkillContent } from './disk/foreign-skill.ts'
import { type RegistryReading, readForReview, skillPlace } from './disk/registry.ts'
import { type Installs, type ScopeRequest, withInstalls, withScope } from './installs.ts'
import {
  type Capability,
  type FindTwin,
  findTwinIn,
  readFrontmatter,
  readSheet,
  readSheetByFile,
} from './rules/review/sheet.ts'
import {
  type RegisteredSkill,
  type Registry,
  requireName,
  requireSkill,
  type Skill,
  withoutSource,
} from './rules/skill.ts'
import { parseRepositoryName, publisherOf } from './rules/source-name.ts'

/** What the library hands out on this machine. */
export interface ClearedRegistry extends RegistryReading {
  /** The skills in quarantine and the denied ones, with the reason. */
  withheld: ReadonlyMap<string, LoadoutError>
}

/** The skills of the library that may be used. Throws if the decisions cannot be read: then nothing is handed out. */
export function readLibrary(repo: Repository): ClearedRegistry {
  const all = withHeldKeys(repo, readForReview(repo))
  const withheld = withheldIn(repo, all)
  return { ...all, skills: all.skills.filter(({ skill }) => !withheld.has(skill.name)), withheld }
}

/** The skills of a registry that may not be used, with a reason that quotes nothing of them: a model may read it. */
export function withheldIn(repo: Repository, registry: Registry): ReadonlyMap<string, LoadoutError> {
  const found = findClosed(repo, registry)
  return new Map(
    found.map(({ skill: name, reason }) => [
      name,
      failWith(reason === 'denied' ? 'QUARANTINED/denied' : 'QUARANTINED/waits', { name }),
    ]),
  )
}

/** The names that no reader may offer, wherever a skill of that name lies. */
export function withheldNames(machine: Machine): ReadonlySet<string> {
  const library = new Config(machine).library
  const inLibrary =
    library !== undefined && isFolder(library) ? readLibrary(new Repository(machine, library)).withheld.keys() : []
  return new Set([...deniedSkills(machine.approvals), ...inLibrary])
}

/** Denied on this machine, in the library or in an agent's folder. */
export function deniedSkills(approvals: Machine['approvals']): string[] {
  return approvals
    .require()
    .flatMap(({ kind, decision, name }) => (kind === 'skill' && answerFacts({ decision }).denied ? [name] : []))
}

/** The sheet of a skill in a folder, or before it enters the library. Pauses after each file: a signal is answered within one. */
export async function sheetOf(
  from: string | SkillContent,
  skill: Skill,
  findTwin: FindTwin,
  signal?: AbortSignal,
): Promise<Capability[]> {
  const files = typeof from === 'string' ? readReviewFiles(from) : readContentFiles(from)
  const reading = readSheetByFile({ skill: withoutSource(skill), files, findTwin })
  for (;;) {
    const { done, value } = reading.next()
    if (done) return value
    await new Promise((resolve) => setImmediate(resolve))
    signal?.throwIfAborted()
  }
}

/** Why a skill is not installed on this machine. */
export interface Quarantine {
  skill: string
  /** `unapproved`: it can act, and the user has not allowed that. */
  reason: Closed
  /** What the user has not allowed yet, worst first. */
  open: Capability[]
}

/**
 * Finds skills that may not be used, in `wanted` or the whole library: those that were denied, that the team's catalog
 * holds back (`held`), and those of other authors that can do more than the user allowed. Frontmatter keys alone do not hold a skill back: `withHeldKeys`.
 * Throws if the answers cannot be read.
 */
export function findClosed(
  repo: Repository,
  { skills }: Pick<Registry, 'skills'>,
  wanted = skills,
  held: ReadonlySet<string> = new Set(),
): Quarantine[] {
  const answers = answersFrom(repo.machine.approvals.require(), repo.path)
  const findTwin = findTwinIn(skills.map(({ skill }) => skill.name))
  const sheets = openSheets(repo.machine, findTwin)
  const found = wanted.flatMap((registered): Quarantine[] => {
    const { skill } = registered
    let open: Capability[] = []
    const closed = gate({
      ...answerFacts(answers.of(skill.name)),
      held: held.has(skill.name),
      get unapproved() {
        if (skill.source === undefined) return false
        const read = () => readReviewFiles(skillPlace(repo.path, registered))
        const sheet =
          sheets.find(registered) ??
          sheets.keep(registered, readSheet({ skill: withoutSource(skill), files: read(), findTwin }))
        open = sheet.filter((each) => !registered.locked?.trusted.has(each.id) && !answers.allow(skill, each))
        // A key that is left out needs no answer now.
        return open.some(({ key }) => key === undefined || (registered.locked && !skill.heldKeys?.includes(key)))
      },
    })
    return closed === undefined ? [] : [{ skill: skill.name, reason: closed.reason, open }]
  })
  sheets.save()
  return found
}

/** A registry whose skills know which of their frontmatter keys are not installed on this machine. */
export function withHeldKeys<R extends Pick<Registry, 'skills'>>(repo: Repository, registry: R): R {
  const asking = registry.skills.filter(
    ({ skill, locked }) => skill.source !== undefined && locked === undefined && readFrontmatter(skill).length > 0,
  )
  if (asking.length === 0) return registry
  const answers = readAnswers(repo)
  const skills = registry.skills.map((registered) => {
    const { skill } = registered
    if (!asking.includes(registered)) return registered
    const open = readFrontmatter(skill).filter((each) => !answers.allow(skill, each))
    const heldKeys = [...new Set(open.flatMap(({ key }) => key ?? []))].sort()
    return heldKeys.length === 0 ? registered : { ...registered, skill: { ...skill, heldKeys } }
  })
  return { ...registry, skills }
}

/** The answers so far; none if they cannot be read. */
export function readAnswers(repo: Repository) {
  return answersFrom(repo.machine.approvals.read().approvals, repo.path)
}

function answersFrom(approvals: readonly Approval[], library: string) {
  const root = realOrSame(library)
  // A denial is about the name, wherever the skill lay then.
  const own = approvals.filter((each) => each.kind === 'skill' && (answerFacts(each).denied || each.root === root))
  const skills = new Map(own.map((each) => [each.name, each]))
  const approved = approvals.filter((each) => each.kind === 'skill' && !answerFacts(each).unapproved)
  // What was allowed of a publisher's skill in one folder is allowed of that skill in others too. Another publisher's
  // skill of the same name inherits nothing.
  const covers = (skill: Skill, id: string) => {
    const publisher = publisherOfSkill(skill)
    return approved.some(
      ({ name, root: at, place, files = {} }) =>
        name === skill.name &&
        (place === undefined ? at === root : place === publisher) &&
        Object.values(files).includes(id),
    )
  }
  const trusted = approvals.filter((each) => each.kind === 'publisher' && each.root === root)
  const publishers = new Map(trusted.map((each) => [each.name, each]))
  return {
    of: (skill: string): Approval | undefined => skills.get(skill),
    allow: (skill: Skill, capability: Capability): boolean => {
      if (capability.isUsual) return true
      if (!answerFacts(skills.get(skill.name)).denied && covers(skill, capability.id)) return true
      const publisher = publisherOfSkill(skill)
      const wide = publisher === undefined ? undefined : publishers.get(publisher)
      // What misleads is never trusted in advance, also not in a key that is.
      return capability.kind !== 'misleads' && wide?.files?.[trustName(capability)] !== undefined
    },
  }
}

/** Undefined if only the skill itself names its source, which proves nothing. */
function publisherOfSkill({ source }: Skill): string | undefined {
  return source?.url === undefined || source.others.claimed === true ? undefined : publisherOf(source.url)
}

/** What an approval of a skill covers, readable in the file of approvals. */
export function coverName({ kind, path, id }: Shown): string {
  return `${kind} ${path} ${id.slice(0, 12)}`
}

/** What trust in a publisher covers: kinds of acts, and single frontmatter keys. */
function trustName({ kind, key }: Capability): string {
  return key === undefined ? kind : `key ${key}`
}

// Increase the version whenever a rule changes.
const KEY = { kind: 'reviews', version: 7, name: ['sheets'] }
const SHEETS = jsonCodec(
  (json): json is Record<string, Capability[]> => isRecord(json) && Object.values(json).every(Array.isArray),
)
/** Sheets by the content of the skill. */
function openSheets(machine: Machine, findTwin: FindTwin) {
  const known = new Map(Object.entries(machine.cache.read(KEY, SHEETS.decode) ?? {}))
  const keyOf = ({ skill, sourceHash }: RegisteredSkill) => [sourceHash, findTwin(skill.name) ?? ''].join(' ')
  let isChanged = false
  return {
    find: (registered: RegisteredSkill) => known.get(keyOf(registered)),
    keep(registered: RegisteredSkill, sheet: Capability[]): Capability[] {
      known.set(keyOf(registered), sheet)
      isChanged = true
      return sheet
    },
    save(): void {
      const bytes = isChanged ? SHEETS.encode(Object.fromEntries([...known].slice(-10_000))) : undefined
      if (bytes !== undefined) machine.cache.write(KEY, bytes)
    },
  }
}

/** Looks through skills that are new to this machine, with pauses; `findClosed` finds all of them done. */
export async function lookThrough(
  repo: Repository,
  { skills }: Pick<Registry, 'skills'>,
  wanted: readonly RegisteredSkill[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const findTwin = findTwinIn(skills.map(({ skill }) => skill.name))
  const sheets = openSheets(repo.machine, findTwin)
  for (const registered of wanted) {
    const { skill } = registered
    if (skill.source === undefined || sheets.find(registered)) continue
    sheets.keep(registered, await sheetOf(skillPlace(repo.path, registered), skill, findTwin, signal))
  }
  sheets.save()
}

/** What each of some skills can do, by its name. */
export async function sheetsOf(
  repo: Repository,
  registry: Pick<Registry, 'skills'>,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, Capability[]>> {
  await lookThrough(repo, registry, registry.skills, signal)
  const sheets = openSheets(repo.machine, findTwinIn(registry.skills.map(({ skill }) => skill.name)))
  return new Map(registry.skills.map((registered) => [registered.skill.name, sheets.find(registered) ?? []]))
}

export interface SkillAnswer {
  approval: Approval
  /** What the decision is about. */
  sheet: Capability[]
}

export type Shown = Pick<Capability, 'kind' | 'path' | 'id'>

/**
 * Records whether a skill of the library may be installed on this machine. An approval covers what the skill can do
 * now; with `shown` exactly that, beside what was approved before: the skill may be about to change.
 */
export const answerForSkill = withScope(
  async (
    installs,
    {
      name,
      decision,
      shown,
    }: { name: string; decision: Decision; shown?: readonly Shown[] } & Pick<ScopeRequest, 'project'>,
  ): Promise<SkillAnswer> => {
    const { library, repo, locked } = installs
    const registry = locked ?? readForReview(repo)
    const registered = requireSkill(registry, requireName(name))
    const { skill, sourceHash } = registered
    const findTwin = findTwinIn(registry.skills.map((each) => each.skill.name))
    const sheet = await sheetOf(skillPlace(library, registered), skill, findTwin)
    const before = shown === undefined ? {} : (readAnswers(repo).of(name)?.files ?? {})
    const files = { ...before, ...Object.fromEntries((shown ?? sheet).map((each) => [coverName(each), each.id])) }
    const about = { kind: 'skill', root: realOrSame(library), name, place: publisherOfSkill(skill), decision } as const
    const covered = answerFacts({ decision }).denied ? {} : { digest: sourceHash, files }
    return { approval: await installs.machine.approvals.record({ ...about, ...covered }), sheet }
  },
)

/** The skills of the library, or of a project's lock, that wait for an answer, as a whole or with some frontmatter keys. */
export const findWaiting = withScope(({ repo, locked }, _: Pick<ScopeRequest, 'project'>): string[] => {
  const registry = withHeldKeys(repo, locked ?? readForReview(repo))
  const held = new Map(findClosed(repo, registry).map(({ skill, reason }) => [skill, reason !== 'denied']))
  return registry.skills.flatMap(({ skill }) => ((held.get(skill.name) ?? skill.heldKeys) ? [skill.name] : []))
})

const MOST_SHOWN = 3
/** A finding for each denial, and one for all that wait: its hint is the one command that answers for all of them. */
export function quarantineFindings(found: readonly Quarantine[]): Finding[] {
  const denied = found.filter(({ reason }) => reason === 'denied').map(quarantineFinding)
  const waiting = found.filter(({ reason }) => reason === 'unapproved')
  if (waiting.length < 2) return [...denied, ...waiting.map(quarantineFinding)]
  const names = waiting.map(({ skill }) => skill)
  return [
    ...denied,
    report('QUARANTINED/skills', { names: names.length, names2: listed(names, 8), hint: answerHint(names) }),
  ]
}

function quarantineFinding({ skill, reason, open }: Quarantine): Finding {
  if (reason === 'denied') return report('QUARANTINED/denied', { name: skill }, { subject: skill })
  const shown = open.slice(0, MOST_SHOWN).map(describeCapability)
  const more = open.length > MOST_SHOWN ? [`${open.length - MOST_SHOWN} more`] : []
  const what = [...shown, ...more].join('; ')
  return report('QUARANTINED/skill', { name: skill, what, hint: answerHint([skill]) }, { subject: skill })
}

/** The one command that answers for all of these skills. */
export function answerHint(names: readonly string[]): string {
  const all = names.length > 12 ? '--waiting' : names.map((name) => `skill:${name}`).join(' ')
  return `read what ${names.length === 1 ? 'it' : 'each'} can do: loadout show ${names[0]}; to allow it: loadout approve ${all}`
}

/** Names what was left out of installed copies. */
export function heldKeyFindings(skills: readonly Skill[]): Finding[] {
  const held = skills.filter(({ heldKeys = [] }) => heldKeys.length > 0)
  if (held.length > MOST_SHOWN) {
    const names = held.map(({ name }) => name)
    const keys = listed([...new Set(held.flatMap(({ heldKeys = [] }) => heldKeys))])
    const facts = { count: names.length, keys, names: listed(names, 8), hint: answerHint(names) }
    return [report('QUARANTINED/many-keys', facts)]
  }
  return held.map(({ name, heldKeys = [] }): Finding => {
    const keys =
      heldKeys.length === 1 ? `the frontmatter key ${heldKeys[0]}` : `the frontmatter keys ${listed(heldKeys)}`
    return report('QUARANTINED/keys', { name, keys, hint: answerHint([name]) }, { subject: name })
  })
}

export function describeCapability({ path, line, what, quote }: Capability): string {
  const place = path === '' ? '' : `${path}${line > 0 ? `:${line}` : ''} `
  return `${place}${what}${quote === '' ? '' : `: ${quote}`}`
}

/** A publisher whose skills may do what they could do when it was trusted. */
export interface Publisher {
  /** The address of its repository. */
  name: string
  skills: string[]
  /** Kinds of acts, and `key <name>` for frontmatter keys. */
  allowed: string[]
  since: string
}

export interface TrustRequest {
  /** `owner/repo` or an address. Undefined: only list. */
  source?: string
  /** Take the trust back. */
  isOff?: boolean
}

/**
 * Trusts the publisher of a repository for what its skills in the library can do now, or takes that back. Returns the
 * trusted publishers. What misleads a reader is never trusted in advance.
 */
export const trust = withInstalls(async (installs: Installs, { source, isOff }: TrustRequest): Promise<Publisher[]> => {
  const { machine, library, repo } = installs
  const root = realOrSame(library)
  const { skills } = readForReview(repo)
  const skillsOf = (publisher: string) => skills.filter(({ skill }) => publisherOfSkill(skill) === publisher)
  if (source !== undefined) {
    const name = publisherOf(parseRepositoryName(source)?.url ?? source)
    const own = skillsOf(name)
    const isTrusted = machine.approvals.read().approvals.some((each) => each.kind === 'publisher' && each.name === name)
    if (isOff ? !isTrusted : own.length === 0) {
      throw failWith(isOff ? 'SKILL_NOT_FOUND/not-trusted' : 'SKILL_NOT_FOUND/publisher', { name, source })
    }
    if (isOff) await machine.approvals.remove({ kind: 'publisher', root, name })
    else {
      const findTwin = findTwinIn(skills.map(({ skill }) => skill.name))
      const sheets: Capability[] = []
      for (const { skill, folder } of own) sheets.push(...(await sheetOf(join(library, folder), skill, findTwin)))
      const allowed = [
        ...new Set(sheets.filter(({ kind, isUsual }) => kind !== 'misleads' && !isUsual).map(trustName)),
      ].sort(compareText)
      const files = Object.fromEntries(allowed.map((each) => [each, sha256(each)]))
      const about = { kind: 'publisher', root, name, decision: 'approved' } as const
      await machine.approvals.record({ ...about, digest: sha256(name), files })
    }
  }
  const { approvals, findings } = machine.approvals.read()
  const trusted = approvals.filter((each) => each.kind === 'publisher' && each.root === root)
  const value = trusted.map(({ name, files = {}, at }) => {
    return { name, skills: skillsOf(name).map(({ skill }) => skill.name), allowed: Object.keys(files), since: at }
  })
  machine.report(...findings)
  return value
})
