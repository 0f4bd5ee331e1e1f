import { join } from 'node:path'
import { recordApproval } from '../machine/approvals.ts'
import type { Machine } from '../machine/machine.ts'
import { realOrSame } from '../machine/open-project.ts'
import type { Approval, Decision } from '../machine/rules/approval.ts'
import { readRegistry } from './disk/registry.ts'
import { openTreeCache } from './disk/tree-cache.ts'
import { digestsOf, severeFindings } from './quarantine.ts'
import { findTwinIn } from './rules/review/appearance.ts'
import type { ReviewFinding } from './rules/review/findings.ts'
import { notUsable, requireName } from './rules/skill.ts'
import { openSetup } from './settings.ts'

export interface SkillAnswer {
  approval: Approval
  /** The severe findings that the decision is about. */
  findings: ReviewFinding[]
}

/** Records whether a skill of the library may be installed on this machine, and returns its severe findings. */
export async function answerForSkill(
  machine: Machine,
  { name, decision }: { name: string; decision: Decision },
): Promise<SkillAnswer> {
  requireName(name)
  const { library } = openSetup(machine, {})
  const { skills, invalid } = readRegistry(library, openTreeCache(machine))
  const registered = skills.find(({ skill }) => skill.name === name)
  const names = skills.map(({ skill }) => skill.name)
  if (registered === undefined) throw notUsable(name, invalid.find((each) => each.name === name)?.problems ?? [], names)
  const folder = join(library, registered.folder)
  const findings = severeFindings(folder, registered, findTwinIn(names))
  const files = digestsOf(folder, registered, findings)
  const about = { kind: 'skill', root: realOrSame(library), name, tier: 'evidence', decision } as const
  const covered = decision === 'approved' ? { digest: registered.sourceHash, files } : {}
  return { approval: await recordApproval(machine, { ...about, ...covered }), findings }
}
