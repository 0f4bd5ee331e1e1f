import { findAgent } from '../../agents/rules/agents.ts'
import { STANDARD_KEYS } from '../../text/skill-document.ts'
import { getOwn } from '../../text/values.ts'
import { EVERY_AGENT, metadataFor, type Skill } from './skill.ts'

export interface TargetChange {
  add: readonly string[]
  remove: readonly string[]
  /** The enabled agents, which replace `*` when one agent is removed. */
  enabled: readonly string[]
}

/** The skill with other agents; undefined when none would be left. */
export function changedTargets(skill: Skill, { add, remove, enabled }: TargetChange): Skill | undefined {
  const isForAll = skill.targets.includes(EVERY_AGENT)
  const base = isForAll && remove.length > 0 && !remove.includes(EVERY_AGENT) ? [...enabled] : skill.targets
  const idOf = (target: string) => findAgent(target)?.id ?? target
  const kept = base.filter((target) => !remove.includes(idOf(target)))
  const isForAllThen = add.includes(EVERY_AGENT) || kept.includes(EVERY_AGENT)
  const targets = isForAllThen
    ? [EVERY_AGENT]
    : [...kept, ...new Set(add.filter((id) => !kept.some((target) => idOf(target) === id)))]
  if (targets.length === 0) return undefined
  return withSharedMetadata({ ...skill, targets }, skill)
}

/** New agents get the metadata that all agents share: the keys of the public format, if equal. */
function withSharedMetadata(skill: Skill, before: Skill): Skill {
  const fresh = skill.targets.filter((id) => !before.targets.includes(id) && getOwn(skill.metadata, id) === undefined)
  const known = before.targets.map((id) => metadataFor(before, id))
  const [first = {}] = known
  const shared = Object.entries(first).filter(([key, value]) => {
    return STANDARD_KEYS.includes(key) && known.every((each) => JSON.stringify(each[key]) === JSON.stringify(value))
  })
  if (fresh.length === 0 || shared.length === 0 || before.targets.includes(EVERY_AGENT)) return skill
  const own = Object.fromEntries(fresh.map((id) => [id, Object.fromEntries(shared)]))
  return { ...skill, metadata: { ...skill.metadata, ...own } }
}
