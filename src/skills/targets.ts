import { join } from 'node:path'
import { requireAgent } from '../agents/rules/agents.ts'
import { failWith } from '../text/trouble.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { readForReview } from './disk/registry.ts'
import { copyFile, listTree, writeTreeFile } from './disk/tree.ts'
import { enabledAgents, type Installs, withInstalls } from './installs.ts'
import { asWriter } from './observe.ts'
import { type Refusal, refusalFindings } from './rules/operations.ts'
import {
  changedTargets,
  EVERY_AGENT,
  formatSkill,
  requireName,
  requireSkill,
  SKILL_FILE,
  type Skill,
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
  throw failWith('USAGE/no-target-skill-x')
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
        const from = join(library, folder)
        for (const { path, isExecutable } of listTree(from).files) {
          if (path !== SKILL_FILE) copyFile(from, path, join(stage, path), isExecutable)
        }
        writeTreeFile(join(stage, SKILL_FILE), formatSkill(after), false)
      },
    })),
  })
}
