import { basename, dirname, join } from 'node:path'
import type { TargetRoot } from '../agents/rules/agents.ts'
import type { Machine } from '../machine/machine.ts'
import { realOrSame } from '../machine/open-project.ts'
import { requireRepository } from '../machine/repository.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { compareText } from '../text/values.ts'
import { findCandidates, readForeign } from './candidates.ts'
import { contentOf, writeSkillFolder } from './disk/foreign-skill.ts'
import { openImportSource, retold } from './disk/import-source.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { SKILLS_FOLDER } from './disk/registry.ts'
import { asWriter, type Carrying, carryOut, type Observation, observe } from './observe.ts'
import { type Candidate, type ForeignSkill, groupCandidates } from './rules/candidates.ts'
import type { Operation } from './rules/operations.ts'
import { supports } from './rules/skill.ts'
import { namedAgents, openSetup, type ScopeRequest, type Setup } from './settings.ts'

export interface ImportRequest extends ScopeRequest, Carrying {
  /** A folder, an archive or a git URL; undefined for everything that lies in the agents' folders. */
  source?: string | undefined
  /** Of what lies in the agents' folders only these. */
  names?: readonly string[] | undefined
  subfolder?: string | undefined
  targets?: readonly string[] | undefined
  /** Default: what the configuration says. */
  commit?: boolean | undefined
  /** The copies that were imported become managed installs. */
  adopt?: boolean | undefined
}

export interface ImportResult {
  imported: { name: string; from: string[]; folder: string; targets: string[]; commit?: string }[]
  /** Copies that became managed installs. */
  adopted: Operation[]
  isDryRun: boolean
}

/** Brings skills into the library, and commits exactly them. */
export async function importSkills(machine: Machine, request: ImportRequest): Promise<Report<ImportResult>> {
  const setup = openSetup(machine, request)
  const targets = namedAgents(request.targets)
  await requireRepository(machine, setup.library)
  const source = request.source === undefined ? undefined : await openImportSource(machine, request.source, request)
  const tell = source?.tell ?? ((text) => text)
  try {
    const run = async (recovered: Finding[]): Promise<Report<ImportResult>> => {
      const observation = await observe(setup, everyRoot(setup), true)
      const found = source === undefined ? findCandidates(observation) : readNamed(setup, source.folders, targets)
      const { value, findings } = await importAll(setup, observation, chosen(found, request), request)
      const told = [...found.findings, ...findings].map((finding) => retoldFinding(finding, tell))
      const imported = value.imported.map((each) => ({ ...each, from: each.from.map(tell) }))
      return { value: { ...value, imported }, findings: [...recovered, ...told] }
    }
    const locked = request.adopt ? everyRoot(setup) : []
    return request.dryRun ? await run([]) : await asWriter(setup, locked, 'import', run, request.signal)
  } catch (error) {
    throw retold(error, tell)
  } finally {
    source?.dispose()
  }
}

function retoldFinding(finding: Finding, tell: (text: string) => string): Finding {
  const { message, subject } = finding
  return { ...finding, message: tell(message), ...(subject === undefined ? {} : { subject: tell(subject) }) }
}

/** Of what was found only the names that were asked for, if any were. */
function chosen<Found extends { candidates: readonly Candidate[] }>(found: Found, { names }: ImportRequest): Found {
  if (names === undefined) return found
  return { ...found, candidates: found.candidates.filter(({ name }) => names.includes(name)) }
}

function everyRoot({ roots, userRoots, project }: Setup): TargetRoot[] {
  return project === undefined ? roots : [...roots, ...userRoots]
}

/** One that was named must work; of several the others go on. */
function readNamed(setup: Setup, folders: readonly string[], targets: readonly string[] | undefined) {
  const placed = folders.map((path) => {
    const root = everyRoot(setup).find((each) => realOrSame(each.path) === realOrSame(dirname(path)))
    return root === undefined ? { path, agents: [] } : { path: join(root.path, basename(path)), agents: root.agents }
  })
  const { skills, findings, failure } = readForeign(placed, targets)
  if (failure !== undefined && folders.length === 1) throw failure
  return { candidates: groupCandidates(skills), findings }
}

async function importAll(
  setup: Setup,
  observation: Observation,
  { candidates, findings: others }: { candidates: readonly Candidate[]; findings: readonly Finding[] },
  request: ImportRequest,
): Promise<Report<ImportResult>> {
  const value: ImportResult = { imported: [], adopted: [], isDryRun: request.dryRun ?? false }
  const findings: Finding[] = []
  const earlier = request.adopt ? importedEarlier(setup, observation, candidates, request) : []
  const isEarlier = new Set(earlier.map(({ path }) => path))
  const fresh = candidates.filter(({ copies }) => !copies.every(({ path }) => isEarlier.has(path)))
  const isAlone = candidates.length + others.length === 1
  for (const [at, candidate] of fresh.entries()) {
    request.signal?.throwIfAborted()
    request.onProgress?.(at, fresh.length, candidate.name)
    try {
      value.imported.push(await importOne(setup, observation, candidate, request))
    } catch (error) {
      if (!(error instanceof LoadoutError) || isAlone) throw error
      const { code, message, hint } = error
      findings.push({ severity: 'error', code, message, subject: candidate.name, ...(hint ? { hint } : {}) })
    }
  }
  request.onProgress?.(fresh.length, fresh.length, '')
  if (!request.adopt) return { value, findings }
  const names = new Set(value.imported.map(({ name }) => name))
  const copies = fresh.filter(({ name }) => names.has(name)).flatMap((candidate) => candidate.copies)
  const adopted = await adoptCopies(setup, [...copies, ...earlier], request)
  return { value: { ...value, adopted: adopted.value }, findings: [...findings, ...adopted.findings] }
}

async function importOne(
  setup: Setup,
  { registry }: Observation,
  { name, copies, merged, problem }: Candidate,
  request: ImportRequest,
): Promise<ImportResult['imported'][number]> {
  const from = copies.map(({ path }) => path)
  if (merged === undefined) {
    throw new LoadoutError('IMPORT_CONFLICT', `${name} was not imported: ${problem} (${from.join(', ')})`, {
      hint: 'make the copies equal, or import one of them by its path',
    })
  }
  const taken = [
    ...registry.skills.map((each) => [each.skill.name, each.folder]),
    ...registry.invalid.map((each) => [each.name, each.folder]),
  ]
  const folder = `${SKILLS_FOLDER}/${name}`
  const exists = taken.find(([other, place]) => other === name || place === folder)
  if (exists !== undefined) throw alreadyThere(name, exists[1] ?? folder)
  const result = { name, from, folder, targets: merged.skill.targets }
  if (request.dryRun) return result
  const message = (request.commit ?? setup.config.commitsImports) ? `Import skill ${name}` : undefined
  const write = (stage: string) => writeSkillFolder(contentOf(merged), stage)
  const commit = await changeLibrary(setup.machine, setup.library, { changes: [{ folder, write }], message })
  return { ...result, ...(commit && { commit }) }
}

function alreadyThere(name: string, folder: string): LoadoutError {
  return new LoadoutError('SKILL_EXISTS', `the library has a skill "${name}" already (${folder})`, {
    hint: `rename one of them, or delete the library's: loadout delete ${name}`,
  })
}

/** Copies of what the library already has, such as those of an import that was killed before it could adopt them. */
function importedEarlier(
  { library }: Setup,
  { placements, find }: Observation,
  candidates: readonly Candidate[],
  { source, names, targets }: ImportRequest,
): ForeignSkill[] {
  const named = new Set(candidates.flatMap(({ copies }) => copies.map(({ path }) => path)))
  const unmanaged = placements.filter(({ name, isSkill, marker }) => isSkill && marker === undefined && find(name))
  const places = unmanaged.map(({ name, root }) => ({ name, path: join(root.path, name), agents: root.agents }))
  const isChosen = ({ name, path }: { name: string; path: string }) =>
    source === undefined ? (names?.includes(name) ?? true) : named.has(path)
  return places.filter(isChosen).flatMap(({ name, path, agents }) => {
    const own = { path: join(library, find(name)?.folder ?? ''), agents: [] }
    const [copy, known] = readForeign([{ path, agents }, own], namedAgents(targets)).skills
    return copy !== undefined && known !== undefined && isSameSkill(copy, known) ? [copy] : []
  })
}

function isSameSkill(copy: ForeignSkill, own: ForeignSkill): boolean {
  const rows = ({ skill, document, files }: ForeignSkill) =>
    JSON.stringify([skill.name, skill.description, document, ...[...files].sort(([a], [b]) => compareText(a, b))])
  return rows(copy) === rows(own)
}

/** Copies in an agent's folder are replaced by what the library now installs; each is kept in the backup folder. */
async function adoptCopies(
  setup: Setup,
  copies: readonly ForeignSkill[],
  request: ImportRequest,
): Promise<Report<Operation[]>> {
  const roots = everyRoot(setup)
  const plan = {
    operations: copies.flatMap((copy) => adoption(copy, roots)),
    findings: copies.flatMap((copy) => otherName(copy, roots)),
  }
  if (request.dryRun) return { value: plan.operations, findings: plan.findings }
  const observation = await observe(setup, [], true)
  const { value, findings } = await carryOut(setup, observation, plan, request)
  return { value: value.operations, findings }
}

function otherName({ path, skill }: ForeignSkill, roots: readonly TargetRoot[]): Finding[] {
  const root = roots.find((each) => each.path === dirname(path))
  if (root === undefined || path === join(root.path, skill.name)) return []
  const message = `${path} was imported as ${skill.name}, so its folder stays as it is`
  const hint = `loadout equip ${skill.name}, then remove the folder`
  return [{ severity: 'warning', code: 'NAME_DIFFERS', message, subject: skill.name, hint }]
}

/** Only a copy whose folder has the skill's name can become its install. */
function adoption({ path, skill }: ForeignSkill, roots: readonly TargetRoot[]): Operation[] {
  const root = roots.find((each) => path === join(each.path, skill.name))
  const agent = root?.agents.find((id) => supports(skill, id))
  if (root === undefined || agent === undefined) return []
  return [{ kind: 'adopt', skill: skill.name, agent, scope: root.scope, root: root.path }]
}
