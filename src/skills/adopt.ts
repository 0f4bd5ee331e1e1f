import { join } from 'node:path'
import { isFolder } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { requireRepository } from '../machine/repository.ts'
import { withScratch } from '../machine/scratch.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { readAdopted } from './disk/adopted-skill.ts'
import { backUp } from './disk/backups.ts'
import { buildFor, hashBuild } from './disk/build.ts'
import { diffFolders } from './disk/diff-folders.ts'
import { type SkillContent, writeSkillFolder } from './disk/foreign-skill.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { copyTree } from './disk/tree.ts'
import { asWriter, type Carrying, carryOut, observe } from './observe.ts'
import { placeOf } from './rules/attention.ts'
import { type Operation, planRefresh } from './rules/operations.ts'
import { missing, type PlacementStatus, type RegisteredSkill, requireName } from './rules/skill.ts'
import { namedAgents, openSetup, rootsFor, type ScopeRequest, type Setup } from './settings.ts'

export interface AdoptRequest extends ScopeRequest, Carrying {
  name: string
  targets?: readonly string[] | undefined
  commit?: boolean | undefined
  /** Take the edit although the library has changed as well. */
  force?: boolean | undefined
}

export interface Adoption {
  name: string
  from: string
  /** From the library as it was to the library with the edit. */
  diff: string
  commit?: string
  operations: Operation[]
  isDryRun: boolean
}

/** Brings an edit that was made in an installed copy back into the library. */
export async function adopt(machine: Machine, request: AdoptRequest): Promise<Report<Adoption>> {
  const name = requireName(request.name)
  const setup = openSetup(machine, request)
  await requireRepository(machine, setup.library)
  const roots = rootsFor(setup, namedAgents(request.targets)).filter(({ path }) => isFolder(path))
  const run = async (recovered: Finding[]): Promise<Report<Adoption>> => {
    const { statuses, state } = await observe(setup, roots, true)
    const status = statuses.find((each) => each.name === name)
    if (status?.registered === undefined) throw missing(name, status, statuses)
    const edited = chooseEdited(name, status.placements)
    const { registered } = status
    const folder = join(setup.library, registered.folder)
    const content = readAdopted(folder, registered.skill, edited.agent, placeOf(edited))
    const diff = await diffLibrary(machine, folder, content)
    const value: Adoption = { name, from: placeOf(edited), diff, operations: [], isDryRun: request.dryRun ?? false }
    if (diff === '' && !request.dryRun) {
      // The library has the edit already, perhaps from an adoption that was killed before its end.
      const refreshed = await refreshCopies(setup, name, roots, edited, request)
      return { value: { ...value, operations: refreshed.value }, findings: [...recovered, ...refreshed.findings] }
    }
    if (diff !== '' && edited.isBehind && !request.force) throw changedBoth(name)
    if (request.dryRun) return { value, findings: recovered }
    const kept = state.uncommittedFolders.has(registered.folder) ? keepLibrary(setup, registered) : []
    const message = (request.commit ?? setup.config.commitsImports) ? `Adopt edits of ${name}` : undefined
    const write = (stage: string) => writeSkillFolder(content, stage)
    const commit = await changeLibrary(machine, setup.library, {
      changes: [{ folder: registered.folder, write }],
      message,
    })
    const refreshed = await refreshCopies(setup, name, roots, edited, request)
    return {
      value: { ...value, ...(commit && { commit }), operations: refreshed.value },
      findings: [...recovered, ...kept, ...refreshed.findings],
    }
  }
  return request.dryRun ? run([]) : asWriter(setup, roots, 'adopt', run)
}

function chooseEdited(name: string, placements: readonly PlacementStatus[]): PlacementStatus {
  const edited = placements.filter(
    ({ state, mayBeEdited }) => state === 'edited' || (state === 'outdated' && mayBeEdited),
  )
  const [first] = edited
  if (first === undefined) {
    throw new LoadoutError('NOT_EQUIPPED', `no installed copy of ${name} was edited`, {
      hint: 'loadout inventory shows the state of every copy; --project <folder> looks in a project',
    })
  }
  if (edited.some(({ placement }) => placement.contentHash !== first.placement.contentHash)) {
    throw new LoadoutError(
      'IMPORT_CONFLICT',
      `copies of ${name} were edited differently: ${edited.map(placeOf).join(', ')}`,
      {
        hint: `choose one: loadout adopt ${name} --target ${first.agent}`,
      },
    )
  }
  return first
}

function changedBoth(name: string): LoadoutError {
  return new LoadoutError('IMPORT_CONFLICT', `${name} was edited here, and has changed in the library since`, {
    hint: `loadout diff ${name} shows both; --force takes the copy (git keeps the library's version)`,
  })
}

function diffLibrary(machine: Machine, folder: string, content: SkillContent): Promise<string> {
  return withScratch(async (scratch) => {
    copyTree(folder, join(scratch, 'library'))
    writeSkillFolder(content, join(scratch, 'adopted'))
    return diffFolders(machine, scratch, 'library', 'adopted')
  })
}

/** The library's own version was not committed: it must not be lost. */
function keepLibrary({ machine, library }: Setup, { skill, folder, sourceHash }: RegisteredSkill): Finding[] {
  const kept = backUp(machine, join(library, folder), skill.name, 'library', sourceHash)
  const message = `${folder} had uncommitted changes; a copy is in ${kept}`
  return [{ severity: 'info', code: 'BACKED_UP', message, subject: skill.name }]
}

/** The copy is now what the library installs, or nearly so; the other copies of the skill follow. */
async function refreshCopies(
  setup: Setup,
  name: string,
  roots: Setup['roots'],
  edited: PlacementStatus,
  request: Carrying,
): Promise<Report<Operation[]>> {
  const observation = await observe(setup, roots, true)
  const status = observation.statuses.find((each) => each.name === name)
  if (status?.registered === undefined) return { value: [], findings: [] }
  const { root, contentHash } = edited.placement
  const build = buildFor(join(setup.library, status.registered.folder), status.registered.skill, edited.agent)
  const keepsCopy = hashBuild(build) !== contentHash
  const own: Operation = {
    kind: 'refresh',
    keepsCopy,
    skill: name,
    agent: edited.agent,
    scope: root.scope,
    root: root.path,
  }
  const others = status.placements.filter(({ placement }) => placement.root.path !== root.path)
  const plan = planRefresh([{ ...status, placements: others }], observation.state, { keepEdits: true })
  const operations = [own, ...plan.operations]
  const { value, findings } = await carryOut(setup, observation, { operations, findings: plan.findings }, request)
  return { value: value.operations, findings }
}
