import { dirname, join } from 'node:path'
import type { TargetRoot } from '../agents/rules/agents.ts'
import { isLink } from '../machine/files.ts'
import type { Finding, Report } from '../text/trouble.ts'
import { buildFor, hashBuild } from './disk/build.ts'
import { rememberProject } from './disk/projects.ts'
import { carryOut, type Observation, observe, type RunOptions } from './observe.ts'
import type { ForeignSkill } from './rules/candidates.ts'
import type { Offer } from './rules/offers.ts'
import type { Operation } from './rules/operations.ts'
import { type RegisteredSkill, supports } from './rules/skill.ts'
import { everyRoot, type Setup } from './setup.ts'

/**
 * Turns folders and links in the agents' folders into managed installs. A folder with exactly the right content only
 * gets a marker; any other is backed up and replaced. The target of a link stays.
 */
export async function takeOver(
  setup: Setup,
  offers: readonly Offer[],
  request: RunOptions,
): Promise<Report<Operation[]>> {
  const roots = everyRoot(setup)
  const observation = await observe(setup, [], true)
  const plan = { operations: [] as Operation[], findings: [] as Finding[] }
  for (const { candidate, name } of offers) {
    for (const copy of candidate.copies) {
      const { operation, finding } = adoption(setup, observation, copy, name, roots)
      if (operation !== undefined) plan.operations.push(operation)
      if (finding !== undefined) plan.findings.push(finding)
    }
  }
  if (request.dryRun) return { value: plan.operations, findings: plan.findings }
  if (setup.project !== undefined && plan.operations.length > 0) rememberProject(setup.machine, setup.project)
  const { value, findings } = await carryOut(setup, observation, plan, request)
  return { value: value.operations, findings }
}

/** Only a copy whose folder has the skill's name can become its install. */
function adoption(
  setup: Setup,
  { find }: Observation,
  copy: ForeignSkill,
  name: string,
  roots: readonly TargetRoot[],
): { operation?: Operation; finding?: Finding } {
  const root = roots.find((each) => each.path === dirname(copy.path))
  if (root === undefined) return {}
  const { path } = copy
  if (path !== join(root.path, name)) {
    const message = `${path} was imported as ${name}, so its folder stays as it is`
    const hint = `loadout equip ${name}, then remove the folder`
    return { finding: { severity: 'warning', code: 'NAME_DIFFERS', message, subject: name, hint } }
  }
  const registered = find(name)
  const agent = root.agents.find((id) => supports(registered?.skill ?? copy.skill, id))
  if (agent === undefined) {
    const message = `${path} stays as it is: the skill in the library does not support ${root.agents.join(', ')}`
    const hint = `loadout targets ${name} --add ${root.agents[0]}, then run this command again`
    return { finding: { severity: 'warning', code: 'UNSUPPORTED_TARGET', message, subject: name, hint } }
  }
  const place = { skill: name, agent, scope: root.scope, root: root.path }
  const isExact = registered !== undefined && !isLink(path) && isSameBuild(setup, registered, agent, copy)
  return { operation: { kind: 'adopt', ...place, ...(isExact ? { contentHash: copy.treeHash } : {}) } }
}

function isSameBuild(
  { library }: Setup,
  { skill, folder }: RegisteredSkill,
  agent: string,
  copy: ForeignSkill,
): boolean {
  return hashBuild(buildFor(join(library, folder), skill, agent)) === copy.treeHash
}
