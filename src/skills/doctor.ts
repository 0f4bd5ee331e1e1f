import { basename, dirname, join } from 'node:path'
import type { Config } from '../agents/config.ts'
import { AGENT_IDS, type TargetRoot } from '../agents/rules/agents.ts'
import { interruptedIn, workFolderIn } from '../change/transaction.ts'
import { exists, isFile, isFolder, isWritable, readText } from '../machine/files.ts'
import { Repository } from '../machine/repository.ts'
import { readDocument } from '../machine/skill-document.ts'
import { count, listed } from '../text/count.ts'
import { shellWord } from '../text/printable.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { asFinding, type Code, type Finding, report, toldOf } from '../text/trouble.ts'
import { isRecord } from '../text/values.ts'
import { readForeignSkill } from './disk/foreign-skill.ts'
import { lastAsked, readRepoState } from './disk/library-git.ts'
import { isUnfinished } from './disk/library-transaction.ts'
import { Merges } from './disk/pending-merge.ts'
import { readForReview, SKILLS_FOLDER } from './disk/registry.ts'
import { SOURCES_FOLDER } from './disk/source-repo.ts'
import { buildFor, hashBuild } from './disk/tree.ts'
import { seeRooms } from './equip.ts'
import { findClosed, quarantineFindings } from './gate.ts'
import type { Installs } from './installs.ts'
import { asRootWriter, carryOut, foreseeEdits, type Observation, observe } from './observe.ts'
import { needsAction, type Operation } from './rules/operations.ts'
import {
  EDIT_OUTCOMES,
  type PlacementStatus,
  placeOf,
  type RegisteredSkill,
  SKILL_FILE,
  type Skill,
  supports,
} from './rules/skill.ts'

import { decideSync, describeRemote, remoteStateOf } from './rules/sync-decision.ts'

/** One check and its result. */
export interface Check {
  name: string
  /** A note is worth knowing; a problem needs action. */
  state: 'fine' | 'note' | 'problem'
  message: string
  code?: Code
  /** How to fix it. */
  fix?: string
}

/** Checks the library and the installs. Without git it does not check the repository. */
export async function examineSkills(installs: Installs, hasGit: boolean): Promise<Check[]> {
  const repository = hasGit ? await checkRepository(installs) : []
  const seen = await look(
    'skills',
    () => observe(installs, rootsOf(installs)),
    ({ registry }) => `${registry.skills.length} in the library`,
  )
  if (seen.value === undefined) return [...repository, seen.check]
  // Reports agents whose list of skills is too full to show every installed skill.
  const { machine, project, roots } = installs
  const agents = roots.flatMap((root) => root.agents)
  return [
    ...repository,
    seen.check,
    ...(await checkSkills(installs, seen.value, hasGit)),
    ...checkUnmanaged(seen.value),
    ...checkDecisions(installs, seen.value),
    ...checkSources(installs),
    ...seeRooms(machine, agents, project).flatMap(({ problem }) =>
      problem === undefined ? [] : [checkOf('listing', { ...problem, severity: 'error' })],
    ),
  ]
}

function rootsOf({ project, roots, userRoots }: Installs): TargetRoot[] {
  return project === undefined ? roots : [...userRoots, ...roots]
}

/** Runs a check; an error becomes the problem. */
export async function look<T>(
  name: string,
  read: () => T | Promise<T>,
  describe: (value: T) => string,
): Promise<{ check: Check; value?: T }> {
  try {
    const value = await read()
    return { check: { name, state: 'fine', message: describe(value) }, value }
  } catch (error) {
    return { check: checkOf(name, asFinding(error, { severity: 'error' })) }
  }
}

/** Checks whether a sync would succeed, without using the network. */
async function checkRepository(installs: Installs): Promise<Check[]> {
  const { machine, library, repo, config } = installs
  const repository = await look(
    'repository',
    async () => {
      await repo.require()
      return readRepoState(repo)
    },
    () => 'a git repository',
  )
  const state = repository.value
  if (state === undefined) return [repository.check]
  const fetched = state.remotes.length === 0 ? 'no remote' : 'ok'
  const { findings } = decideSync(library, state, fetched, { push: config.pushesOnSync })
  const standing = remoteStateOf(state, lastAsked(library))
  const message = describeRemote(standing, machine.now())
  const isUnknown = standing.remote !== undefined && standing.askedAt === undefined
  const [mark, fix] = isUnknown
    ? (['note', 'loadout sync --dry-run asks it'] as const)
    : standing.behind > 0
      ? (['note', 'loadout sync'] as const)
      : (['fine', undefined] as const)
  const hasTrouble = findings.some(({ severity }) => severity === 'error')
  const sync: Check[] = hasTrouble ? [] : [{ name: 'sync', state: mark, message, fix }]
  return [repository.check, ...sync, ...findings.map((finding) => checkOf('sync', finding))]
}

export function checkOf(name: string, finding: Finding): Check {
  const { hint: fix, ...told } = toldOf(finding)
  return { name, state: finding.severity === 'error' ? 'problem' : 'note', ...told, fix }
}

/** Reports broken skills, and installs that differ from the library. */
async function checkSkills(installs: Installs, observation: Observation, hasGit: boolean): Promise<Check[]> {
  const { registry, statuses } = observation
  const invalid = registry.findings.map((finding) => checkOf('skills', finding))
  const edits = hasGit ? await foreseeEdits(installs, observation) : undefined
  const actionFor = (name: string, found: PlacementStatus) => {
    const finding = needsAction(name, found)
    const edit = found.state === 'edited' ? edits?.get(placeOf(found)) : undefined
    return edit === undefined
      ? finding
      : { ...finding, message: `${placeOf(found)} was edited by hand: ${EDIT_OUTCOMES[edit]}` }
  }
  const different = statuses.flatMap(({ name, placements }) =>
    placements
      .filter(({ state }) => state !== 'current' && state !== 'unmanaged')
      .map((found) => checkOf('installs', { ...actionFor(name, found), severity: 'error' })),
  )
  if (different.length > 0) return [...invalid, ...different]
  const current = statuses.flatMap(({ placements }) => placements).filter(({ state }) => state === 'current').length
  return [...invalid, { name: 'installs', state: 'fine', message: `${current} as the library has them` }]
}

/** Reports open merges, and imported skills that wait for a decision. */
function checkDecisions({ machine, repo }: Installs, { registry }: Observation): Check[] {
  const merges = new Merges(machine).list().map(({ skill, conflicts }): Check => {
    const state = conflicts.length === 0 ? 'ready' : count(conflicts.length, 'conflict')
    return checkOf('merges', report('MERGE_CONFLICT/open', { skill, state }))
  })
  try {
    const waiting = findClosed(repo, registry).filter(({ reason }) => reason === 'unapproved')
    const quarantined = quarantineFindings(waiting).map((each) => checkOf('review', { ...each, severity: 'warning' }))
    return [...merges, ...quarantined]
  } catch (error) {
    return [...merges, checkOf('review', asFinding(error, { severity: 'error' }))]
  }
}

/** A broken cache of a source is replaced by the next fetch, unless Loadout cannot write there. */
function checkSources({ machine }: Installs): Check[] {
  const path = join(machine.cacheFolder, SOURCES_FOLDER)
  if (!exists(path) || (isFolder(path) && isWritable(path))) return []
  const [from, to] = [shellWord(path), shellWord(`${path}.aside`)]
  return [checkOf('sources', report('WRITE_FAILED/sources', { path, from, to }))]
}

/**
 * Reports skills that Loadout did not install. With the name of a library skill they are never updated; all others are
 * missing in the library.
 */
function checkUnmanaged({ statuses, placements }: Observation): Check[] {
  const known = statuses.filter((status) => status.placements.some(({ state }) => state === 'unmanaged'))
  const names = known.map(({ name }) => name)
  const loose = placements.filter(
    ({ isSkill, marker, name }) => isSkill && marker === undefined && !names.includes(name),
  )
  const strange = [...new Set(loose.map(({ name }) => name))]
  const folders = names.length === 1 ? 'a folder has' : `${names.length} folders have`
  const skills = strange.length === 1 ? 'a skill that is' : `${strange.length} skills that are`
  const findings: Finding[] = []
  if (names.length > 0) {
    const them = names.length === 1 ? 'it' : 'them'
    findings.push(report('UNMANAGED_FOLDER/same-name', { folders, them, names: listed(names) }))
  }
  if (strange.length > 0) findings.push(report('UNMANAGED_FOLDER/not-in-library', { skills, names: listed(strange) }))
  return findings.map((finding) => checkOf('installs', finding))
}

/** Checks whether a killed command left something to repair. */
export async function checkLeftovers(installs: Installs): Promise<Check[]> {
  const name = 'leftovers'
  const left = rootsOf(installs).flatMap(({ path }) => interruptedIn(workFolderIn(path)))
  const found = await look(
    name,
    () => left.length > 0 || isUnfinished(installs.library),
    () => 'no interrupted work',
  )
  // A library that is not a repository was already reported.
  if (found.value === undefined) return []
  if (!found.value) return [found.check]
  return [checkOf(name, report('RECOVERED/interrupted'))]
}

/** Finishes interrupted changes, and renews the markers of folders whose content matches the library. */
export async function repair(opened: Installs): Promise<string[]> {
  const installs = opened.with({ machine: opened.machine.quiet() })
  const roots = rootsOf(installs).filter(({ path }) => isFolder(path) && isWritable(path))
  return asRootWriter(installs, roots, 'doctor', async (recovered) => {
    const observation = await observe(installs, roots, true)
    const operations = observation.statuses.flatMap(({ placements }) =>
      placements.flatMap((each): Operation[] => {
        const { placement, state } = each
        const registered = observation.find(placement.name)
        const { contentHash, root } = placement
        if (state !== 'broken' || registered === undefined || contentHash === undefined) return []
        const folder = join(installs.library, registered.folder)
        const agent = root.agents.find((id) => hashBuild(buildFor(folder, registered.skill, id)) === contentHash)
        if (agent === undefined) return []
        return [{ kind: 'restamp', contentHash, skill: placement.name, agent, scope: root.scope, root: root.path }]
      }),
    )
    const value = await carryOut(installs, observation, { operations, findings: [] }, {})
    return [
      ...recovered.map(({ message }) => message),
      ...value.operations.map(({ root, skill }) => `${join(root, skill)}: its marker was renewed`),
    ]
  })
}

/** Whether a path is a skill or a library of skills. */
export function recognizeSkill(path: string): 'skill' | 'library' | undefined {
  if (isFolder(path)) {
    if (exists(join(path, DOCUMENT_FILE)) || exists(join(path, SKILL_FILE))) return 'skill'
    return isFolder(join(path, SKILLS_FOLDER)) ? 'library' : undefined
  }
  return [DOCUMENT_FILE, SKILL_FILE].includes(basename(path)) && isFile(path) ? 'skill' : undefined
}

/** Checks every skill of a library. A broken skill is an error; one that exceeds the public format is a warning. */
export function checkLibrary(repo: Repository): Finding[] {
  const { skills, findings } = readForReview(repo)
  return [...findings, ...skills.flatMap((registered) => checkInstalls(repo.path, registered))]
}

/** Checks one skill, from a library or from anywhere. */
export function checkSkill({ machine, library: known }: Config, path: string): Finding[] {
  const folder = isFolder(path) ? path : dirname(path)
  const library = dirname(dirname(folder))
  const isOurs = () => exists(join(folder, SKILL_FILE)) || library === known
  const isInLibrary = basename(dirname(folder)) === SKILLS_FOLDER && isOurs()
  if (isInLibrary) {
    const place = `${SKILLS_FOLDER}/${basename(folder)}`
    const { skills, findings } = readForReview(new Repository(machine, library))
    const registered = skills.filter((each) => each.folder === place)
    const own = findings.filter(({ message }) => message.startsWith(`${place} `))
    return [...own, ...registered.flatMap((each) => checkInstalls(library, each))]
  }
  return attempt(folder, () => {
    const { skill, document } = readForeignSkill(folder, { agents: [], targets: AGENT_IDS })
    return formatWarnings(skill, document)
  })
}

/** A skill works if Loadout can build it for every agent that it names. */
function checkInstalls(library: string, { skill, folder }: RegisteredSkill): Finding[] {
  const path = join(library, folder)
  return attempt(skill.name, () => {
    for (const agent of AGENT_IDS.filter((id) => supports(skill, id))) buildFor(path, skill, agent)
    const document = readText(join(path, DOCUMENT_FILE))
    return [...formatWarnings(skill, document), ...frontmatterWarnings(skill.name, folder, document)]
  })
}

/** Reports a block that looks like frontmatter but cannot be parsed: it stays part of the text. */
function frontmatterWarnings(subject: string, folder: string, document: string): Finding[] {
  const { problem } = readDocument(document)
  if (problem === undefined) return []
  return [report('BAD_FRONTMATTER/document', { folder, documentFile: DOCUMENT_FILE, problem }, { subject })]
}

function attempt(subject: string, check: () => Finding[]): Finding[] {
  try {
    return check()
  } catch (error) {
    return [asFinding(error, { severity: 'error', subject })]
  }
}

const LONGEST_DESCRIPTION = 1_024
const LONGEST_COMPATIBILITY = 500
const MOST_LINES = 500

/** Where a skill exceeds the public Agent Skills format. Many published skills do, so this is only a warning. */
export function formatWarnings(skill: Skill, document: string): Finding[] {
  const { name, description, metadata } = skill
  const problems: string[] = []
  if (name.includes('--')) problems.push('its name has two hyphens in a row, which the format does not allow')
  if (description.length > LONGEST_DESCRIPTION) {
    problems.push(`its description has ${description.length} characters; the format allows ${LONGEST_DESCRIPTION}`)
  }
  for (const [agent, own] of Object.entries(metadata)) problems.push(...metadataProblems(agent, own))
  const lines = document.split('\n').length
  if (lines > MOST_LINES)
    problems.push(`its text has ${lines} lines; beyond ${MOST_LINES} they belong in files beside it`)
  return problems.map((problem) => report('INVALID_SKILL/format', { name, problem }, { subject: name }))
}

function metadataProblems(agent: string, { compatibility, metadata }: Record<string, unknown>): string[] {
  const problems: string[] = []
  if (typeof compatibility === 'string' && compatibility.length > LONGEST_COMPATIBILITY) {
    problems.push(
      `"compatibility" for ${agent} has ${compatibility.length} characters; the format allows ${LONGEST_COMPATIBILITY}`,
    )
  }
  const isPlain = isRecord(metadata) && Object.values(metadata).every((value) => typeof value === 'string')
  if (metadata !== undefined && !isPlain) problems.push(`"metadata" for ${agent} should map texts to texts`)
  return problems
}
