import { join } from 'node:path'
import type { Scope } from '../agents/rules/agents.ts'
import { isFolder, readText } from '../machine/files.ts'
import { readJsonInside } from '../machine/inside.ts'
import { withScratch } from '../machine/leftovers.ts'
import type { Repository } from '../machine/repository.ts'
import { answerFacts } from '../machine/rules/gate.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { LoadoutError, unlessTrouble } from '../text/trouble.ts'
import { diffFolders, lastCommits } from './disk/library-git.ts'
import { SKILLS_FOLDER, skillPlace } from './disk/registry.ts'
import { buildFor, copyTree, listTree, writeBuild } from './disk/tree.ts'
import { sheetOf } from './gate.ts'
import { type Installs, Manifest, namedAgents, type ScopeRequest, withScope } from './installs.ts'
import { type PlacementView, viewPlacement } from './inventory.ts'
import { observe, recoverAll } from './observe.ts'
import { type Capability, findTwinIn } from './rules/review/sheet.ts'
import {
  missing,
  type PlacementState,
  parseSkill,
  placeOf,
  type RegisteredSkill,
  requireName,
  SKILL_FILE,
  type Skill,
} from './rules/skill.ts'

export interface SkillPreview {
  skill: Skill
  path: string
  files: { path: string; bytes: number }[]
  placements: PlacementView[]
  /** The library's SKILL.md. */
  markdown: string
  /** What it can do, worst first; empty for your own skills. */
  review: Capability[]
  /** Where it came from: the source, what pins it, and who allowed what. */
  origin: [what: string, text: string][]
}

/** One skill, with its text from the library. */
export const inspectSkill = withScope(
  async (installs, request: ScopeRequest & { name: string }): Promise<SkillPreview> => {
    const name = requireName(request.name)
    const roots = installs.everyRoot()
    await recoverAll(installs, roots)
    const { statuses } = await observe(installs, roots)
    const status = statuses.find((each) => each.name === name)
    if (status?.registered === undefined) throw missing(name, status, statuses)
    const { registered } = status
    const { skill } = registered
    const kept = skillPlace(installs.library, registered)
    const [copy] = status.placements
    // Without the cache, the files of a lock are where they are installed.
    const path = isFolder(kept) || copy === undefined ? kept : placeOf(copy)
    const findTwin = findTwinIn(statuses.flatMap((each) => each.registered?.skill.name ?? []))
    const value = {
      skill,
      path,
      files: listTree(path).files.map(({ path: file, size }) => ({ path: file, bytes: size })),
      placements: status.placements.map((found) => viewPlacement(found)),
      markdown: readText(join(path, DOCUMENT_FILE)),
      review: skill.source === undefined ? [] : await sheetOf(path, skill, findTwin),
      origin: await originOf(installs, registered, path),
    }
    return value
  },
)

/** Where a skill and each of its files came from, and who said yes to what. */
async function originOf(
  installs: Installs,
  registered: RegisteredSkill,
  path: string,
): Promise<SkillPreview['origin']> {
  const { machine, repo, project, locked } = installs
  const { name, source } = registered.skill
  const rows: SkillPreview['origin'] = []
  if (source !== undefined) {
    const { ref, commit, folder, treeHash } = source
    const version = [commit && `commit ${commit}`, ref && `(${ref})`].filter(Boolean).join(' ')
    rows.push(['came from', [source.url ?? source.path, folder, version].filter(Boolean).join('  ')])
    rows.push(['digest', treeHash])
  }
  const row =
    project && locked ? Manifest.read(machine, project)?.lock.skills.find((each) => each.name === name) : undefined
  if (row !== undefined) {
    rows.push(['locked', `${row.at}, as ${row.from} in loadout.json`])
    const { by, at } = row.approved ?? {}
    if (by !== undefined)
      rows.push(['allowed', `by ${by} on ${at}, in loadout.lock: ${Object.keys(row.allows).join(', ')}`])
    if (row.requires.length > 0) rows.push(['needs', row.requires.join(', ')])
  }
  for (const { kind, name: about, decision, actor, at, files = {} } of machine.approvals.read().approvals) {
    if (kind !== 'skill' || about !== name) continue
    const isDenied = answerFacts({ decision }).denied
    const what = isDenied ? 'nothing: it is denied' : Object.keys(files).join(', ') || 'nothing that acts'
    rows.push([isDenied ? 'denied' : 'allowed', `by ${actor} on this machine, ${at}: ${what}`])
  }
  const files = listTree(path).files.map((file) => file.path)
  if (locked !== undefined) {
    const made = files.filter((file) => file === SKILL_FILE)
    const own = files
      .filter((file) => file !== SKILL_FILE)
      .map((file) => [source?.folder, file].filter(Boolean).join('/'))
    return [...rows, ['files', `${own.join(', ')} of that commit; ${made.join(', ')} is written by Loadout`]]
  }
  // Without git, everything else about a skill is still shown.
  const commits = await lastCommits(repo, registered.folder).catch((error: unknown) => {
    if (error instanceof LoadoutError) return new Map<string, string>()
    throw error
  })
  return [...rows, ...files.map((file): [string, string] => [file, commits.get(file) ?? 'no known commit'])]
}

export type SkillText = Pick<SkillPreview, 'skill' | 'markdown'>

/**
 * The text of one skill without its installs: fast enough for every cursor movement, in a library of any size. Reads
 * the whole library only for a skill whose folder has another name.
 */
export const previewSkill = withScope(
  async (installs, request: ScopeRequest & { name: string }): Promise<SkillText> => {
    const name = requireName(request.name)
    const folder = join(installs.library, SKILLS_FOLDER, name)
    const skill = readSkill(folder, name)
    if (skill?.name !== name || installs.locked !== undefined) return inspectSkill(installs.machine, request)
    return { skill, markdown: readText(join(folder, DOCUMENT_FILE)) }
  },
)

function readSkill(folder: string, name: string): SkillText['skill'] | undefined {
  return unlessTrouble(() => parseSkill(readJsonInside(folder, SKILL_FILE), name).skill, undefined)
}

export interface SkillDiff {
  name: string
  /** One for each installed copy that differs from what Loadout would install now. */
  differences: { agents: readonly string[]; scope: Scope; state: PlacementState; path: string; text: string }[]
}

/**
 * How installed copies of a skill differ from what the library would install; with `refresh`, how they would change if
 * they were installed again.
 */
export const diffSkill = withScope(
  async (
    installs,
    request: ScopeRequest & { name: string; targets?: readonly string[]; refresh?: boolean },
  ): Promise<SkillDiff> => {
    const name = requireName(request.name)
    const roots = installs.rootsFor(namedAgents(request.targets))
    await recoverAll(installs, roots)
    const { statuses } = await observe(installs, roots)
    const status = statuses.find((each) => each.name === name)
    if (status?.registered === undefined) throw missing(name, status, statuses)
    const value: SkillDiff = { name, differences: [] }
    for (const { placement, state, agent } of status.placements) {
      if (placement.kind !== 'folder') continue
      const { root } = placement
      const path = join(root.path, name)
      const text = await diffInstall(
        installs.repo,
        skillPlace(installs.library, status.registered),
        status.registered,
        agent,
        path,
        request.refresh,
      )
      if (text !== '') value.differences.push({ agents: root.agents, scope: root.scope, state, path, text })
    }
    return value
  },
)

/** The diff from what Loadout would install to what is installed; with `refresh` the reverse. */
function diffInstall(
  repo: Repository,
  folder: string,
  { skill }: RegisteredSkill,
  agent: string,
  installed: string,
  refresh = false,
) {
  return withScratch(async (scratch) => {
    writeBuild(buildFor(folder, skill, agent), join(scratch, 'library'))
    try {
      copyTree(installed, join(scratch, 'installed'))
    } catch (error) {
      // Another command has removed the copy since it was seen.
      if (!isFolder(installed)) return ''
      throw error
    }
    return refresh
      ? diffFolders(repo.at(scratch), 'installed', 'library', skill.name)
      : diffFolders(repo.at(scratch), 'library', 'installed', skill.name)
  })
}
