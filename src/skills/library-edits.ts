import { basename, join } from 'node:path'
import { requireAgent } from '../agents/rules/agents.ts'
import { exists, isFolder, readText } from '../machine/files.ts'
import { withScratch } from '../machine/leftovers.ts'
import type { Repository } from '../machine/repository.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { asFinding, type Finding, failWith, LoadoutError } from '../text/trouble.ts'
import { Backups } from './disk/apply.ts'
import { checkOutSnapshot, diffFolders } from './disk/library-git.ts'
import { changeLibrary, type LibraryChange, messageAbout } from './disk/library-transaction.ts'
import { readForReview, SKILLS_FOLDER } from './disk/registry.ts'
import { copyTree, hashPath, writeTreeFile } from './disk/tree.ts'
import { enabledAgents, type Installs, namedTargets, type ScopeRequest, withInstalls } from './installs.ts'
import { asWriter, observe, type RunOptions, refreshInstalls, UNDO } from './observe.ts'
import { neededBy } from './rules/needs.ts'
import { type Operation, type Refusal, refusalFindings } from './rules/operations.ts'
import {
  changedTargets,
  EVERY_AGENT,
  formatSkill,
  missing,
  placeOf,
  type RegisteredSkill,
  requireName,
  requireSkill,
  SKILL_FILE,
  type Skill,
  type SkillStatus,
} from './rules/skill.ts'

export interface TargetsRequest {
  names: readonly string[]
  all?: boolean
  add?: readonly string[]
  remove?: readonly string[]
  /** Default: the configured value for imports. */
  commit?: boolean
  dryRun?: boolean
}

export interface TargetsChange {
  changed: { name: string; before: string[]; after: string[] }[]
  unchanged: number
  commit?: string
  isDryRun: boolean
}

/** Changes which agents skills of the library support. */
export const changeTargets = withInstalls(async (installs, request: TargetsRequest): Promise<TargetsChange> => {
  const [add, remove] = [agentsIn(request.add), agentsIn(request.remove)]
  requireRequest(request, [...add, ...remove])
  await installs.repo.require()
  const run = async (): Promise<TargetsChange> => {
    const refusals: Refusal[] = []
    const { names, all } = request
    const registry = readForReview(installs.repo)
    for (const name of names) requireSkill(registry, name)
    const chosen = all ? registry.skills : registry.skills.filter(({ skill }) => names.includes(skill.name))
    const changes = chosen.flatMap(({ skill, folder }) => {
      const after = changedTargets(skill, { add, remove, enabled: enabledAgents(installs.config) })
      if (after === undefined) {
        const reason = 'no agent would be left'
        refusals.push({
          name: skill.name,
          folder,
          code: 'UNSUPPORTED_TARGET',
          reason,
          hint: 'loadout delete removes a skill',
        })
        return []
      }
      return formatSkill(after) === formatSkill(skill) ? [] : [{ folder, before: skill, after }]
    })
    const isDryRun = request.dryRun ?? false
    const commit = isDryRun || changes.length === 0 ? undefined : await write(installs, changes, request)
    const changed = changes.map(({ before, after }) => {
      return { name: after.name, before: before.targets, after: after.targets }
    })
    const unchanged = chosen.length - changed.length - refusals.length
    const value = { changed, unchanged, commit, isDryRun }
    installs.machine.report(...refusalFindings(refusals, 'changed'))
    return value
  }
  return request.dryRun ? run() : asWriter(installs, [], 'targets', run)
})

function agentsIn(names: readonly string[] = []): string[] {
  const ids = names.flatMap((name) => name.split(',')).map((id) => id.trim())
  return ids.map((id) => (id === EVERY_AGENT ? id : requireAgent(id).id))
}

function requireRequest({ names, all }: TargetsRequest, agents: readonly string[]): void {
  for (const name of names) requireName(name)
  if (names.length === 0 && !all) {
    throw failWith('USAGE/no-target-skill')
  }
  if (agents.length > 0) return
  throw failWith('USAGE/no-target-flag')
}

interface Change {
  folder: string
  before: Skill
  after: Skill
}

/** Rewrites only skill.json; copies all other files unchanged. */
function write({ library, repo, config }: Installs, changes: readonly Change[], request: TargetsRequest) {
  const [first] = changes
  const whose = changes.length === 1 ? (first?.after.name ?? '') : `${changes.length} skills`
  const message = (request.commit ?? config.commitsImports) ? `Change the agents of ${whose}` : undefined
  return changeLibrary(repo, {
    message,
    changes: changes.map(({ folder, after }) => ({
      path: folder,
      write: (stage) => {
        copyTree(join(library, folder), stage, [SKILL_FILE])
        writeTreeFile(join(stage, SKILL_FILE), formatSkill(after), false)
      },
    })),
  })
}

export interface NewSkillRequest {
  name: string
  description?: string
  targets?: readonly string[]
  tags?: readonly string[]
  dryRun?: boolean
}

export interface NewSkill {
  name: string
  path: string
  files: string[]
  isDryRun: boolean
}

/** Creates a skill in the library. It is not committed: its author still has to write it. */
export const startSkill = withInstalls(async (installs, request: NewSkillRequest): Promise<NewSkill> => {
  const name = requireName(request.name)
  const targets = namedTargets(request.targets, installs.config) ?? []
  const folder = `${SKILLS_FOLDER}/${name}`
  const path = join(installs.library, folder)
  const tags = (request.tags ?? []).flatMap((tag) => tag.split(',')).filter((tag) => tag !== '')
  const description = request.description ?? `Say what ${name} does, and when an agent should use it.`
  const title = name.replace(/-/g, ' ').replace(/^./, (letter) => letter.toUpperCase())
  const text = `# ${title}\n\n1. First step.\n2. Second step.\n`
  const run = async (): Promise<NewSkill> => {
    if (exists(path)) {
      throw failWith('FILE_EXISTS/skill-path', { path, name })
    }
    const write = (stage: string) => {
      writeTreeFile(
        join(stage, SKILL_FILE),
        formatSkill({ name, description, tags, targets, metadata: {}, others: {} }),
        false,
      )
      writeTreeFile(join(stage, DOCUMENT_FILE), text, false)
    }
    if (!request.dryRun) await changeLibrary(installs.repo, { changes: [{ path: folder, write }], message: undefined })
    const isDryRun = request.dryRun ?? false
    return { name, path, files: [SKILL_FILE, DOCUMENT_FILE], isDryRun }
  }
  return request.dryRun ? run() : asWriter(installs, [], 'new', run)
})

export interface DeleteFlags extends ScopeRequest {
  /** Default: the configured value. */
  commit?: boolean
  dryRun?: boolean
}

export interface BulkDeleteRequest extends DeleteFlags {
  names: readonly string[]
}

export interface Deletion {
  name: string
  library: string
  folder: string
  commit?: string
  /** The backup of its files, if some of them were not committed. */
  backup?: string
  isDryRun: boolean
}

/** Removes a skill from the library, unless an install still depends on it. */
export const deleteSkill = withInstalls(
  async (installs, request: DeleteFlags & { name: string }): Promise<Deletion> => {
    const refuse = (error: LoadoutError) => {
      throw error
    }
    const value = await deleteNamed(installs, { ...request, names: [request.name] }, refuse)
    return value[0] as Deletion
  },
)

/** Removes skills in one commit. One that cannot be removed does not stop the others. */
export const deleteSkills = withInstalls(async (installs, request: BulkDeleteRequest): Promise<Deletion[]> => {
  const refused: Finding[] = []
  const refuse = (error: LoadoutError) => void refused.push(asFinding(error, { severity: 'error' }))
  const value = await deleteNamed(installs, request, refuse)
  installs.machine.report(...refused)
  return value
})

async function deleteNamed(
  installs: Installs,
  request: BulkDeleteRequest,
  refuse: (error: LoadoutError) => void,
): Promise<Deletion[]> {
  const names = [...new Set(request.names.map(requireName))]
  await installs.repo.require()
  const isDryRun = request.dryRun ?? false
  const run = async (): Promise<Deletion[]> => {
    // The user's folders, those of the named project, and those of every project with installs on this machine.
    const projects = new Set([undefined, ...installs.knownProjects(), installs.project])
    const { statuses, state } = await observe(
      installs,
      [...projects].flatMap((each) => installs.config.targetRoots(each, () => true)),
      true,
    )
    const needers = neededBy(
      names,
      statuses.flatMap(({ registered }) => registered?.skill ?? []),
    )
    const removable = names.flatMap((name) => {
      const by = needers.get(name)
      const found = by ? failWith('NEEDS/by', { name, by: by.join(', ') }) : findRemovable(name, statuses)
      if (!(found instanceof LoadoutError)) return found
      refuse(found)
      return []
    })
    const deletions = removable.map(({ skill: { name }, folder, sourceHash }): Deletion => {
      const isKept = !isDryRun && state.uncommittedFolders.has(folder)
      const backup = isKept
        ? new Backups(installs.machine).add(join(installs.library, folder), name, 'library', sourceHash)
        : undefined
      return { name, library: installs.library, folder, backup, isDryRun }
    })
    if (isDryRun || deletions.length === 0) {
      return deletions
    }
    const isCommitted = request.commit ?? installs.config.commitsDeletes
    const deleted = deletions.map(({ name }) => name)
    const message = isCommitted ? messageAbout('Delete', deleted) : undefined
    const changes = deletions.map(({ folder }) => ({ path: folder }))
    const commit = await changeLibrary(installs.repo, { changes, message })
    return deletions.map((each) => ({ ...each, commit }))
  }
  return isDryRun ? run() : asWriter(installs, [], 'delete', run)
}

function findRemovable(name: string, statuses: readonly SkillStatus[]): RegisteredSkill | LoadoutError {
  const status = statuses.find((each) => each.name === name)
  if (status?.registered === undefined) return missing(name, status, statuses)
  const managed = status.placements.filter(({ state }) => state !== 'unmanaged')
  return managed.length > 0
    ? failWith('SKILL_INSTALLED/still-installed', { name, places: managed.map(placeOf).join(', ') })
    : status.registered
}

/** Undoes deletions: each from the backup if there is one, else from the commit before it. */
export const restoreSkills = withInstalls(
  async (
    installs,
    { deletions }: { deletions: readonly Deletion[] },
  ): Promise<{ names: string[]; commit?: string }> => {
    const names = deletions.map(({ name }) => name)
    return asWriter(installs, [], 'restore', async () => {
      for (const { folder } of deletions) {
        if (!exists(join(installs.library, folder))) continue
        throw failWith('FILE_EXISTS/skill-again', { folder })
      }
      const restored = await withScratch(async (scratch) => {
        const changes: LibraryChange['changes'][number][] = []
        for (const deletion of deletions) {
          const source = deletion.backup ?? (await checkOut(installs.repo, deletion, scratch))
          changes.push({ path: deletion.folder, write: (stage) => copyTree(source, stage) })
        }
        const isCommitted = deletions.some(({ commit }) => commit !== undefined)
        const message = isCommitted ? messageAbout('Restore', names) : undefined
        return changeLibrary(installs.repo, { changes, message })
      })
      return { names, commit: restored }
    })
  },
)

/** The folder as it was before a commit. */
async function checkOut(repo: Repository, { name, commit, folder }: Deletion, scratch: string): Promise<string> {
  const before = commit === undefined ? 'HEAD' : `${commit}^`
  const found = await checkOutSnapshot({ repo, commit: before, folder }, scratch, name)
  if (found !== undefined) return found
  throw failWith('SKILL_NOT_FOUND/history', { folder })
}

export interface UndoRequest extends Pick<ScopeRequest, 'verdicts'>, RunOptions {
  /** A commit of the library; default: the last one. */
  commit?: string
}

export interface Undone {
  /** The undone commit, and its subject. */
  undone: string
  subject: string
  /** The restored skills. */
  names: string[]
  /** Unified diff of the library. */
  diff: string
  /** The new commit. */
  commit?: string
  /** The changes of installed copies. */
  operations: Operation[]
  isDryRun: boolean
}

/**
 * Reverts the changes of a commit to skills, in a new commit, and refreshes their copies; copies of skills that it added
 * are removed. Throws if one of these skills has changed since, so that no later change is lost.
 */
export const undoCommit = withInstalls(async (installs, request: UndoRequest): Promise<Undone> => {
  await installs.repo.require()
  const roots = installs.roots.filter(({ path }) => isFolder(path))
  const isDryRun = request.dryRun ?? false
  const run = (recovered: Finding[]) =>
    withScratch(async (scratch): Promise<Undone> => {
      const done = await finishedUndo(installs, recovered)
      const finished = done?.undone.startsWith(request.commit ?? '') ? done : undefined
      const { commit: undone, subject } = await findCommit(installs, finished?.undone ?? request.commit)
      const folders = await changedFolders(installs, undone)
      const changes: LibraryChange['changes'][number][] = []
      const before = new Map<string, string>()
      for (const [at, folder] of finished ? [] : folders.entries()) {
        await requireUnchanged(installs, undone, folder, scratch, `${at}-after`)
        const source = await checkOutSnapshot(
          { repo: installs.repo, commit: `${undone}^`, folder },
          scratch,
          `${at}-before`,
        )
        changes.push(
          source === undefined ? { path: folder } : { path: folder, write: (stage) => copyTree(source, stage) },
        )
        if (source !== undefined) before.set(basename(folder), source)
      }
      const { stdout: diff } = await installs.repo.git([
        'diff',
        '--no-color',
        '--no-ext-diff',
        '--no-textconv',
        undone,
        `${undone}^`,
      ])
      const names = folders.map((folder) => folder.slice(SKILLS_FOLDER.length + 1))
      const value = { undone, subject, names, diff, operations: [], isDryRun }
      if (finished) {
        return { ...value, commit: finished.commit }
      }
      const message = `${UNDO}${subject}\n\nTakes back ${undone}.\n`
      const commit = isDryRun ? undefined : await changeLibrary(installs.repo, { changes, message, copies: names })
      const how = { folders: before, isUndo: true }
      const refreshed = await refreshInstalls(installs, roots, new Set(names), request, how)
      return { ...value, commit, ...refreshed }
    })
  return isDryRun ? run([]) : asWriter(installs, roots, 'undo', run, request.signal)
})

/** The undo that a killed command had begun, and that was finished just now: repeating the command must not take it back. */
async function finishedUndo({ repo }: Installs, recovered: readonly Finding[]) {
  if (recovered.length === 0) return undefined
  const { stdout } = await repo.git(['log', '-1', '--format=%H%n%B'])
  const [commit = '', subject, , takesBack = ''] = stdout.split('\n')
  const undone = /^Takes back ([0-9a-f]+)\.$/.exec(takesBack)?.[1]
  return undone !== undefined && recovered.some((each) => each.subject === subject) ? { commit, undone } : undefined
}

async function findCommit(
  { library, repo }: Installs,
  asked: string | undefined,
): Promise<{ commit: string; subject: string }> {
  const named = asked ?? 'HEAD'
  const unknown = failWith('ENTRY_NOT_FOUND/commit', { named: JSON.stringify(named), library })
  if (!/^(?:HEAD|[0-9a-f]{7,64})$/.test(named)) throw unknown
  const before = ['merge-base', '--is-ancestor', named, 'HEAD']
  if ((await repo.git(before, { okCodes: [0, 1, 128] })).code !== 0) throw unknown
  const { stdout } = await repo.git(['log', '-1', '--format=%H %P%n%s', named])
  const [ids = '', subject = ''] = stdout.split('\n')
  const [commit = '', ...parents] = ids.split(' ').filter((id) => id !== '')
  if (asked === undefined) await requireOwn(repo, commit, subject)
  if (parents.length === 1) return { commit, subject }
  const what = parents.length === 0 ? 'is the first commit of the library' : 'is a merge'
  throw failWith('ENTRY_NOT_FOUND/not-undone', { commit: commit.slice(0, 7), what, library })
}

/** Throws if another machine made the commit: the remote has it, and git recorded no commit of it here. */
async function requireOwn(repo: Repository, commit: string, subject: string): Promise<void> {
  const shared = ['for-each-ref', '--count=1', `--contains=${commit}`, 'refs/remotes']
  if ((await repo.git(shared)).stdout === '') return
  const moves = await repo.git(['log', '--walk-reflogs', '--format=%H %gs', 'HEAD'], {
    okCodes: [0, 128],
  })
  const isOwn = moves.stdout.split('\n').some((line) => line.startsWith(`${commit} commit`))
  if (isOwn) return
  const short = commit.slice(0, 7)
  throw failWith('ENTRY_NOT_FOUND/from-remote', { short, subject: JSON.stringify(subject), path: repo.path })
}

/** The folders of the skills that a commit changed. Throws when it changed anything else. */
async function changedFolders({ library, repo }: Installs, commit: string): Promise<string[]> {
  const list = ['diff-tree', '--no-commit-id', '--name-only', '--no-renames', '-r', '-z', commit]
  const paths = (await repo.git(list)).stdout.split('\0').filter((path) => path !== '')
  const folders = paths.map((path) => /^([^/]+\/[^/]+)\//.exec(path)?.[1] ?? path)
  const other = folders.find((folder) => !folder.startsWith(`${SKILLS_FOLDER}/`))
  if (paths.length > 0 && other === undefined) return [...new Set(folders)].sort()
  const what = other === undefined ? 'changes nothing' : `also changes ${other}, which is not a skill`
  throw failWith('ENTRY_NOT_FOUND/not-skills', { commit: commit.slice(0, 7), what, library })
}

async function requireUnchanged(installs: Installs, commit: string, folder: string, scratch: string, name: string) {
  const { library, repo } = installs
  const then = await checkOutSnapshot({ repo, commit, folder }, scratch, name)
  const now = join(library, folder)
  const hashOf = (place: string | undefined) => (place !== undefined && exists(place) ? hashPath(place) : undefined)
  if (hashOf(then) === hashOf(now)) return
  throw failWith('MERGE_CONFLICT/later', { folder, commit: commit.slice(0, 7), library })
}

export interface EditRequest extends Pick<ScopeRequest, 'project' | 'verdicts'>, RunOptions {
  name: string
  /** The new text of its SKILL.md. */
  text: string
  /** The text that was edited: if the library has another by now, nothing is written. */
  before: string
}

export interface Edited {
  name: string
  /** Unified diff of the library. */
  diff: string
  commit?: string
  /** The changes of installed copies. */
  operations: Operation[]
  isDryRun: boolean
}

/** Writes the SKILL.md of a skill, in one commit, and refreshes its copies. */
export const editSkill = withInstalls(async (installs, request: EditRequest): Promise<Edited> => {
  const name = requireName(request.name)
  await installs.repo.require()
  const roots = installs.roots.filter(({ path }) => isFolder(path))
  const isDryRun = request.dryRun ?? false
  const run = () =>
    withScratch(async (scratch): Promise<Edited> => {
      const { folder } = requireSkill(readForReview(installs.repo), name)
      const place = join(installs.library, folder)
      if (readText(join(place, DOCUMENT_FILE)) !== request.before)
        throw failWith('CONFIRMATION_NEEDED/edited', { name })
      const write = (stage: string) => {
        copyTree(place, stage, [DOCUMENT_FILE])
        writeTreeFile(join(stage, DOCUMENT_FILE), request.text, false)
      }
      copyTree(place, join(scratch, 'before'))
      write(join(scratch, 'after'))
      const diff = await diffFolders(installs.repo.at(scratch), 'before', 'after', name)
      const value = { name, diff, operations: [], isDryRun }
      if (diff === '') return value
      const changes = [{ path: folder, write }]
      const commit = isDryRun
        ? undefined
        : await changeLibrary(installs.repo, { changes, message: `Edit ${name}`, copies: [name] })
      const folders = new Map([[name, join(scratch, 'after')]])
      return { ...value, commit, ...(await refreshInstalls(installs, roots, new Set([name]), request, { folders })) }
    })
  return isDryRun ? run() : asWriter(installs, roots, 'edit', run, request.signal)
})
