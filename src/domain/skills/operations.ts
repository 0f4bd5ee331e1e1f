import type { Finding } from '../shared/finding.ts'
import { LoadoutError } from '../shared/loadout-error.ts'
import { nearest } from '../shared/nearest.ts'
import type { Profile } from './config.ts'
import type { InstallMarker } from './marker.ts'
import type { PlacementStatus, RegisteredSkill, Scope, SkillStatus, TargetRoot } from './placement.ts'
import { type LibraryState, sameCommit } from './reconcile.ts'

/** One thing to do in a target root. A list of them is a plan: it can be printed, and it can be applied. */
export type Operation = {
  skill: string
  agent: string
  scope: Scope
  root: string
} & (
  | { kind: 'install' }
  /** `keepsCopy`: it may hold edits, so a copy goes to the backup folder first. */
  | { kind: 'refresh'; keepsCopy: boolean }
  | { kind: 'remove'; keepsCopy: boolean }
  /** The content is as it should be; only the marker is written anew. */
  | { kind: 'restamp'; contentHash: string }
  /** A folder of the user's, equal to what would be installed or just imported, becomes ours. */
  | { kind: 'adopt' }
)

export interface OperationPlan {
  operations: Operation[]
  findings: Finding[]
}

/** Which skills, for which agents. `agents` undefined: all that are enabled and supported. */
export interface EquipRequest {
  names: readonly string[]
  agents: readonly string[] | undefined
  /** The folders of the agents in question. */
  roots: readonly TargetRoot[]
  /** The skills were named one by one: each must be possible. Otherwise what does not fit is passed over. */
  isExplicit: boolean
}

export function planEquip(statuses: readonly SkillStatus[], request: EquipRequest): OperationPlan {
  const plan: OperationPlan = { operations: [], findings: [] }
  for (const name of request.names) {
    const status = statuses.find((each) => each.name === name)
    if (status?.registered === undefined) throw missing(name, status, statuses)
    const { registered } = status
    const wanted = request.roots.flatMap((root) => {
      const agent = agentFor(registered, root, request)
      return agent === undefined ? [] : [{ root, agent }]
    })
    for (const { root, agent } of wanted) planPlacement(plan, status, root, agent)
    if (wanted.length === 0 && request.isExplicit) throw unsupported(registered, request.agents)
  }
  return plan
}

/** The agent whose metadata an install in this folder takes. */
function agentFor(registered: RegisteredSkill, root: TargetRoot, request: EquipRequest): string | undefined {
  const { agents, isExplicit } = request
  const wanted = root.agents.filter((id) => agents === undefined || agents.includes(id))
  const supported = wanted.find((id) => registered.skill.targets.includes(id))
  if (supported !== undefined || agents === undefined || !isExplicit || wanted.length === 0) return supported
  throw unsupported(registered, wanted)
}

function unsupported({ skill }: RegisteredSkill, agents: readonly string[] = []): LoadoutError {
  const whom = agents.length > 0 ? agents.join(', ') : 'any agent that is enabled here'
  return new LoadoutError('UNSUPPORTED_TARGET', `${skill.name} does not support ${whom}`, {
    hint: `it supports ${skill.targets.join(', ')}; add to "targets" in its skill.json what works as well`,
  })
}

function planPlacement(plan: OperationPlan, status: SkillStatus, root: TargetRoot, agent: string): void {
  const found = status.placements.find(({ placement }) => placement.root.path === root.path)
  const place = { skill: status.name, agent, scope: root.scope, root: root.path }
  if (found === undefined) plan.operations.push({ kind: 'install', ...place })
  else if (found.state === 'outdated') {
    plan.operations.push({ kind: 'refresh', keepsCopy: found.mayBeEdited, ...place, agent: found.agent })
  } else if (found.state !== 'current') plan.findings.push(inTheWay(status.name, found))
}

export function planUnequip(
  statuses: readonly SkillStatus[],
  request: EquipRequest & { isKnown(name: string): boolean },
): OperationPlan {
  const plan: OperationPlan = { operations: [], findings: [] }
  for (const name of request.names) {
    const status = statuses.find((each) => each.name === name)
    if (status === undefined && !request.isKnown(name)) throw missing(name, status, statuses)
    const found = (status?.placements ?? []).filter(({ placement }) =>
      request.roots.some(({ path }) => path === placement.root.path),
    )
    for (const each of found) {
      const { root } = each.placement
      if (each.state === 'unmanaged' || each.state === 'broken') plan.findings.push(inTheWay(name, each))
      else {
        const keepsCopy = each.state === 'edited' || each.mayBeEdited
        plan.operations.push({
          kind: 'remove',
          keepsCopy,
          skill: name,
          agent: each.agent,
          scope: root.scope,
          root: root.path,
        })
      }
    }
    if (found.length === 0) {
      const message = `${name} is not equipped ${request.agents === undefined ? 'here' : `for ${request.agents.join(', ')}`}`
      plan.findings.push({ severity: 'info', code: 'NOT_EQUIPPED', message, subject: name })
    }
  }
  return plan
}

/** Gives every skill of a profile to its agents. What cannot be done is said; the rest is. */
export function planProfile(
  statuses: readonly SkillStatus[],
  profile: Profile,
  roots: readonly TargetRoot[],
  isExact: boolean,
): OperationPlan {
  const plan: OperationPlan = { operations: [], findings: [] }
  for (const [name, agents] of Object.entries(profile)) {
    const wanted = roots.filter((root) => root.agents.some((id) => agents.includes(id)))
    const found = attemptEquip(statuses, { names: [name], agents, roots: wanted, isExplicit: true })
    plan.operations.push(...found.operations)
    plan.findings.push(...found.findings, ...disabledIn(name, agents, roots))
  }
  if (!isExact) return plan
  for (const { name, placements } of statuses) {
    const extra = placements.filter(({ agent, state }) => !profile[name]?.includes(agent) && state !== 'unmanaged')
    const { operations, findings } = planUnequip(statuses, {
      names: extra.length > 0 ? [name] : [],
      agents: undefined,
      roots: extra.map(({ placement }) => placement.root),
      isExplicit: false,
      isKnown: () => true,
    })
    plan.operations.push(...operations)
    plan.findings.push(...findings)
  }
  return plan
}

function attemptEquip(statuses: readonly SkillStatus[], request: EquipRequest): OperationPlan {
  try {
    return planEquip(statuses, request)
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const { code, message, hint } = error
    return { operations: [], findings: [{ severity: 'error', code, message, ...(hint ? { hint } : {}) }] }
  }
}

function disabledIn(name: string, agents: readonly string[], roots: readonly TargetRoot[]): Finding[] {
  const disabled = agents.filter((id) => !roots.some((root) => root.agents.includes(id)))
  if (disabled.length === 0) return []
  const message = `${name} was not equipped for ${disabled.join(', ')}: not enabled on this machine`
  const hint = `loadout agents enable ${disabled.join(' ')}`
  return [{ severity: 'warning', code: 'TARGET_DISABLED', message, subject: name, hint }]
}

/** Brings every managed install up to the library. What is edited is replaced after a copy, or kept if so asked. */
export function planRefresh(
  statuses: readonly SkillStatus[],
  library: LibraryState,
  request: { keepEdits: boolean },
): OperationPlan {
  const plan: OperationPlan = { operations: [], findings: [] }
  for (const status of statuses) {
    for (const found of status.placements) {
      const { root } = found.placement
      const place = { skill: status.name, agent: found.agent, scope: root.scope, root: root.path }
      if (found.state === 'outdated' || (found.state === 'edited' && found.isBehind)) {
        if (found.mayBeEdited && request.keepEdits) plan.findings.push(keptEdit(status.name, found))
        else plan.operations.push({ kind: 'refresh', keepsCopy: found.mayBeEdited, ...place })
      } else if (found.state === 'current' && status.registered && isStale(found, status.registered, library)) {
        plan.operations.push({ kind: 'restamp', contentHash: found.placement.contentHash ?? '', ...place })
      } else if (found.state !== 'current' && found.state !== 'unmanaged') {
        plan.findings.push(needsAction(status.name, found))
      }
    }
  }
  return plan
}

/** The content is right, but the marker names another commit, or has no hashes yet. */
function isStale({ placement }: PlacementStatus, { folder }: RegisteredSkill, library: LibraryState): boolean {
  const marker = placement.marker
  if (marker === undefined || 'problem' in marker) return false
  const isUncommitted = library.uncommittedFolders.has(folder)
  return (
    marker.contentHash === undefined ||
    !sameCommit(marker.commit, library.head ?? '') ||
    (marker.isUncommitted ?? false) !== isUncommitted
  )
}

/** What a new marker says. */
export function markerFor(
  registered: RegisteredSkill,
  agent: string,
  contentHash: string,
  library: LibraryState,
  now: Date,
): InstallMarker {
  return {
    commit: library.head ?? '',
    installedAt: now.toISOString().replace(/\.\d+Z$/, 'Z'),
    skill: registered.skill.name,
    agent,
    contentHash,
    sourceHash: registered.sourceHash,
    ...(library.uncommittedFolders.has(registered.folder) ? { isUncommitted: true as const } : {}),
  }
}

export function placeOf({ placement }: PlacementStatus): string {
  return `${placement.root.path}/${placement.name}`
}

/** Why something that is already there is left as it is. */
function inTheWay(name: string, found: PlacementStatus): Finding {
  const place = placeOf(found)
  if (found.state === 'unmanaged') {
    const message = `${place} was not installed by loadout${found.reason ? ` (${found.reason})` : ''}; it was left as it is`
    const hint = found.reason ? 'move it away' : `loadout import ${place} --adopt takes it over; or move it away`
    return { severity: 'error', code: 'UNMANAGED_FOLDER', message, subject: name, hint }
  }
  return needsAction(name, found)
}

/** What a person has to decide about an install. */
export function needsAction(name: string, found: PlacementStatus): Finding {
  const place = placeOf(found)
  const where = found.placement.root.scope === 'project' ? ' --project' : ''
  switch (found.state) {
    case 'edited': {
      const hint = `loadout adopt ${name}${where} brings the edit into the library; loadout diff ${name}${where} shows it`
      return {
        severity: 'warning',
        code: 'EDITED_INSTALL',
        message: `${place} was edited by hand`,
        subject: name,
        hint,
      }
    }
    case 'broken': {
      const message = `${place} cannot be judged: ${found.reason}`
      const hint = 'loadout doctor --fix repairs the marker where the content allows it; otherwise move the folder away'
      return { severity: 'error', code: 'BROKEN_MARKER', message, subject: name, hint }
    }
    case 'unsupported': {
      const message = `${place} is installed, but the skill no longer lists ${found.agent}`
      const hint = `loadout unequip ${name} --target ${found.agent}${where}`
      return { severity: 'warning', code: 'UNSUPPORTED_TARGET', message, subject: name, hint }
    }
    case 'outdated': {
      const message = `${place} is older than the library`
      return {
        severity: 'warning',
        code: 'OUTDATED_INSTALL',
        message,
        subject: name,
        hint: 'loadout sync refreshes it',
      }
    }
    default: {
      const message = `${place} is installed, but the library does not have it any more`
      const hint = `loadout unequip ${name}${where} removes it; loadout import ${place} brings it back`
      return { severity: 'warning', code: 'ORPHANED_INSTALL', message, subject: name, hint }
    }
  }
}

function keptEdit(name: string, found: PlacementStatus): Finding {
  const message = `${placeOf(found)} was edited by hand and was not refreshed`
  const hint = `loadout adopt ${name} brings the edit into the library`
  return { severity: 'warning', code: 'EDITED_INSTALL', message, subject: name, hint }
}

/** A name that cannot be used: there is none, or there is one that is broken. */
export function missing(name: string, status: SkillStatus | undefined, statuses: readonly SkillStatus[]): LoadoutError {
  const known = statuses.filter(({ registered }) => registered !== undefined).map((each) => each.name)
  return notUsable(name, status?.problems ?? [], known)
}

export function notUsable(name: string, problems: readonly string[], known: readonly string[]): LoadoutError {
  if (problems.length > 0) {
    return new LoadoutError('INVALID_SKILL', `${name} cannot be used: ${problems.join('; ')}`, {
      hint: 'repair it in the library; loadout validate tells when it is right',
    })
  }
  const close = nearest(name, known)
  return new LoadoutError(
    'SKILL_NOT_FOUND',
    `the library has no skill "${name}"${close === undefined ? '' : `; did you mean ${close}?`}`,
    { hint: 'loadout inventory lists the skills' },
  )
}
