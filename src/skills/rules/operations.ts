import type { Scope, TargetRoot } from '../../agents/rules/agents.ts'
import type { Profile } from '../../agents/rules/config.ts'
import { listed } from '../../text/count.ts'
import { shellWord } from '../../text/printable.ts'
import { asFinding, type Code, type Finding, failWith, type LoadoutError, report } from '../../text/trouble.ts'
import { sortedBy } from '../../text/values.ts'
import { type InstallMarker, type LibraryState, sameCommit } from './reconcile.ts'
import {
  isEdited,
  missing,
  type PlacementStatus,
  placeOf,
  type RegisteredSkill,
  type Skill,
  type SkillStatus,
  supports,
} from './skill.ts'

/** One operation in a target root. A list of them is a plan, which Loadout can print or apply. */
export type Operation = {
  skill: string
  agent: string
  scope: Scope
  root: string
} & (
  | { kind: 'install' }
  /** `keepsCopy`: it contains an edit, which the user has asked to replace. Back it up first. */
  | { kind: 'refresh'; keepsCopy: boolean }
  /** Bring the library's change into an edited copy. `edit`: the hash of the copy. Its base decides whether this works. */
  | { kind: 'merge'; edit: string }
  /** Put back the copy that an install replaced, from its backup. */
  | { kind: 'restore'; backup: string }
  | { kind: 'remove'; keepsCopy: boolean }
  /** The content is right: only renew the marker. */
  | { kind: 'restamp'; contentHash: string }
  /**
   * Turns an unmanaged folder into an install. With a hash, its content is right and it only gets a marker; otherwise
   * Loadout backs it up and replaces it.
   */
  | { kind: 'adopt'; contentHash?: string }
  /** Finish or undo an interrupted change: every command does this first. */
  | { kind: 'recover' }
)

export interface OperationPlan {
  operations: Operation[]
  findings: Finding[]
}

/** The content of a new marker. */
export function markerFor(
  registered: RegisteredSkill,
  agent: string,
  contentHash: string,
  library: LibraryState,
  now: Date,
): InstallMarker {
  return {
    commit: registered.version?.commit ?? library.head ?? '',
    installedAt: registered.locked?.at ?? now.toISOString().replace(/\.\d+Z$/, 'Z'),
    skill: registered.skill.name,
    agent,
    contentHash,
    sourceHash: registered.sourceHash,
    isUncommitted: isUncommitted(registered, library) || undefined,
    heldKeys: registered.skill.heldKeys,
    isLocked: registered.locked === undefined ? undefined : true,
  }
}

function isUncommitted({ version, folder }: RegisteredSkill, library: LibraryState): boolean {
  return version === undefined && library.uncommittedFolders.has(folder)
}

/** Which skills, for which agents. `agents` undefined: all enabled and supported ones. */
export interface EquipRequest {
  names: readonly string[]
  agents: readonly string[] | undefined
  /** The folders of the agents in question. */
  roots: readonly TargetRoot[]
  /** The user named each skill: throw if one cannot be installed. Otherwise skip it. */
  isExplicit: boolean
  /** Which unmanaged or edited folders to replace, after a backup; by default none. */
  replaces?: (found: PlacementStatus) => boolean
}

export type StatusIndex = ReadonlyMap<string, SkillStatus>

function indexStatuses(statuses: readonly SkillStatus[]): StatusIndex {
  return new Map(statuses.map((status) => [status.name, status]))
}

/** `byName`: pass it to plan many times. */
export function planEquip(
  statuses: readonly SkillStatus[],
  request: EquipRequest,
  byName: StatusIndex = indexStatuses(statuses),
): OperationPlan {
  const plan: OperationPlan = { operations: [], findings: [] }
  const skills: Skill[] = []
  const refused: SkillStatus[] = []
  for (const name of new Set(request.names)) {
    const status = byName.get(name)
    if (status?.registered === undefined) throw missing(name, status, statuses)
    if (status.refusal !== undefined) {
      const { why } = status.refusal
      if (request.isExplicit) throw failWith('CATALOG_HELD/skill', { name, why, hint: CATALOG_HINT })
      refused.push(status)
      continue
    }
    skills.push(status.registered.skill)
    const { registered } = status
    const supported = request.roots.flatMap((root) => {
      const agent = agentFor(registered, root, request)
      return agent === undefined ? [] : [{ root, agent }]
    })
    // The copy in the shared folder serves agents that read it: a second one in their own folder would be a double.
    const served = request.agents === undefined ? supported.flatMap(({ root }) => root.alsoReadBy ?? []) : []
    const wanted = supported.filter(({ root }) => {
      const isThere = status.placements.some(({ placement }) => placement.root.path === root.path)
      return isThere || !root.agents.every((id) => served.includes(id))
    })
    for (const { root, agent } of wanted) {
      const found = status.placements.find(({ placement }) => placement.root.path === root.path)
      const replaces = found !== undefined && (request.replaces?.(found) ?? false)
      const place = { skill: status.name, agent, scope: root.scope, root: root.path }
      if (found === undefined) plan.operations.push({ kind: 'install', ...place })
      else if (found.isIdentical) {
        plan.operations.push({ kind: 'adopt', contentHash: found.placement.contentHash ?? '', ...place })
      } else if (found.state === 'outdated' || found.state === 'edited') {
        planCopy(plan, status.name, found, replaces)
      } else if (replaces && found.state !== 'current' && found.placement.kind !== 'file' && !found.placement.problem) {
        plan.operations.push({ kind: 'adopt', ...place })
      } else if (found.state !== 'current') plan.findings.push(inTheWay(status.name, found))
    }
    if (wanted.length === 0 && request.isExplicit) throw unsupported(registered, request.agents)
  }
  if (!request.isExplicit) plan.findings.push(...catalogFindings(refused), ...unsupportedFindings(skills, request))
  return plan
}

/** Reports skills that do not support a named agent. If no agent was named, only agents that no skill supports. */
function unsupportedFindings(skills: readonly Skill[], { agents, roots }: EquipRequest): Finding[] {
  const there = roots.flatMap((root) => root.agents)
  const asked = agents?.filter((id) => there.includes(id)) ?? there
  return asked.flatMap((agent): Finding[] => {
    const names = skills.filter((skill) => !supports(skill, agent)).map(({ name }) => name)
    const isNone = names.length === skills.length
    if (names.length === 0 || (agents === undefined && !isNone)) return []
    const whose = names.length === 1 ? names[0] : `${names.length} skills`
    const which = names.length === 1 ? '' : `: ${listed(names)}`
    const facts = {
      agent,
      names: names.length > 3 ? '--all' : names.join(' '),
      skills: skills.length === 1 ? 'the skills' : `${names.length} skills`,
      whose: `${whose} ${names.length === 1 ? 'does' : 'do'}`,
      which,
    }
    const severity = agents === undefined ? 'info' : isNone ? 'error' : 'warning'
    return [report(isNone ? 'UNSUPPORTED_TARGET/none-of' : 'UNSUPPORTED_TARGET/skills', facts, { severity })]
  })
}

/** The agent whose metadata an install in this folder uses. */
function agentFor(registered: RegisteredSkill, root: TargetRoot, request: EquipRequest): string | undefined {
  const { agents, isExplicit } = request
  const wanted = root.agents.filter((id) => agents === undefined || agents.includes(id))
  const supported = wanted.find((id) => supports(registered.skill, id))
  if (supported !== undefined || agents === undefined || !isExplicit || wanted.length === 0) return supported
  throw unsupported(registered, wanted)
}

function unsupported({ skill }: RegisteredSkill, agents: readonly string[] = []): LoadoutError {
  const whom = agents.length > 0 ? agents.join(', ') : 'any agent that is enabled here'
  return failWith('UNSUPPORTED_TARGET/agent', {
    name: skill.name,
    whom,
    targets: skill.targets.join(', '),
    agents: agents[0] ?? '<agent>',
  })
}

export function planUnequip(
  statuses: readonly SkillStatus[],
  request: EquipRequest & { isKnown(name: string): boolean },
  byName: StatusIndex = indexStatuses(statuses),
): OperationPlan {
  const plan: OperationPlan = { operations: [], findings: [] }
  for (const name of new Set(request.names)) {
    const status = byName.get(name)
    if (status === undefined && !request.isKnown(name)) throw missing(name, status, statuses)
    const found = (status?.placements ?? []).filter(({ placement }) =>
      request.roots.some(({ path }) => path === placement.root.path),
    )
    for (const each of found) {
      if (each.state === 'unmanaged' || each.state === 'broken') {
        // "All" means all managed installs; a user's own folder is not one of them.
        if (request.isExplicit || each.state === 'broken') plan.findings.push(inTheWay(name, each))
      } else {
        plan.operations.push({ kind: 'remove', keepsCopy: isEdited(each), ...placeIn(name, each) })
      }
    }
    if (found.length === 0) {
      plan.findings.push(
        report(
          'NOT_EQUIPPED/where',
          { name, what: request.agents === undefined ? 'here' : `for ${request.agents.join(', ')}` },
          { subject: name },
        ),
      )
    }
  }
  return plan
}

/**
 * Updates every managed install to the library. `replaces`: which edited copies to replace, after a backup; by default
 * none.
 */
export function planRefresh(
  statuses: readonly SkillStatus[],
  library: LibraryState,
  replaces: (found: PlacementStatus) => boolean = () => false,
): OperationPlan {
  const plan: OperationPlan = { operations: [], findings: [] }
  const older: Operation[] = []
  const refused: SkillStatus[] = []
  for (const status of statuses) {
    if (status.refusal !== undefined) {
      const ours = status.placements.filter(({ state }) => state !== 'unmanaged' && state !== 'broken')
      if (ours.length > 0) refused.push(status)
      for (const each of status.refusal.kind === 'retired' ? ours : []) {
        plan.operations.push({ kind: 'remove', keepsCopy: isEdited(each), ...placeIn(status.name, each) })
      }
      continue
    }
    for (const found of status.placements) {
      if (found.state === 'outdated' || (found.state === 'edited' && status.registered !== undefined)) {
        planCopy(plan, status.name, found, replaces(found))
      } else if (found.state === 'current') {
        const reason = status.registered && reasonToRestamp(found, status.registered, library)
        const contentHash = found.placement.contentHash ?? ''
        if (reason !== undefined)
          (reason === 'older commit' ? older : plan.operations).push({
            kind: 'restamp',
            contentHash,
            ...placeIn(status.name, found),
          })
      } else if (found.state !== 'unmanaged') {
        plan.findings.push(needsAction(status.name, found))
      }
    }
  }
  plan.findings.push(...catalogFindings(refused, { held: 'updated', retired: 'kept' }))
  // Only programs that compare commits need the newest commit in a marker; Loadout compares hashes. With many
  // installs, updating all markers would be most of the work of a sync that changes one skill.
  return older.length > 100
    ? plan
    : { ...plan, operations: sortedBy([...plan.operations, ...older], (each) => each.skill) }
}

/**
 * The one rule for a copy that differs from the library. An edit stays if the library is unchanged, is merged if it has
 * changed too, and is replaced only on request.
 */
function planCopy(plan: OperationPlan, name: string, found: PlacementStatus, replaces: boolean): void {
  const place = placeIn(name, found)
  if (!isEdited(found) || replaces) {
    plan.operations.push({ kind: 'refresh', keepsCopy: isEdited(found), ...place })
  } else if (found.isBehind || found.state === 'outdated') {
    plan.operations.push({ kind: 'merge', edit: found.placement.contentHash ?? '', ...place })
  } else plan.findings.push(needsAction(name, found))
}

function placeIn(skill: string, { agent, placement: { root } }: PlacementStatus) {
  return { skill, agent, scope: root.scope, root: root.path }
}

const CATALOG_HINT = 'loadout catalog search shows what the organization has approved'

/** The skills that the catalog forbids: one finding for each reason. */
export function catalogFindings(
  statuses: readonly SkillStatus[],
  verbs = { held: 'installed', retired: 'installed' },
): Finding[] {
  return (['held', 'retired'] as const).flatMap((kind) => {
    const refused = statuses.flatMap(({ name, refusal }) =>
      refusal?.kind === kind ? [{ name, code: 'CATALOG_HELD' as const, reason: refusal.why, hint: CATALOG_HINT }] : [],
    )
    return refusalFindings(refused, verbs[kind]).map((finding) => ({ ...finding, severity: 'warning' as const }))
  })
}

/**
 * Why to renew a marker although the content is right: it names another commit, or has no hashes yet. In a project the
 * commit may be older: a team commits the markers, and changing them with every commit of the library would be noise.
 */
function reasonToRestamp(
  { placement }: PlacementStatus,
  registered: RegisteredSkill,
  library: LibraryState,
): 'no hashes' | 'committed' | 'older commit' | undefined {
  const marker = placement.marker
  if (marker === undefined || 'problem' in marker) return undefined
  if (marker.contentHash === undefined) return 'no hashes'
  if (placement.root.scope === 'project') return undefined
  if ((marker.isUncommitted ?? false) !== isUncommitted(registered, library)) return 'committed'
  return sameCommit(marker.commit, registered.version?.commit ?? library.head ?? '') ? undefined : 'older commit'
}

/** Equips every skill of a profile for its agents, and unequips what `leaves`. Reports what is not possible, and does the rest. */
export function planProfile(
  statuses: readonly SkillStatus[],
  profile: Profile,
  roots: readonly TargetRoot[],
  leaves?: (skill: string, found: PlacementStatus) => boolean,
): OperationPlan {
  const plan: OperationPlan = { operations: [], findings: [] }
  const byName = indexStatuses(statuses)
  const refused = statuses.filter(({ name, refusal }) => refusal !== undefined && Object.hasOwn(profile, name))
  plan.findings.push(...catalogFindings(refused).map((finding) => ({ ...finding, severity: 'error' as const })))
  for (const [name, agents] of Object.entries(profile)) {
    if (byName.get(name)?.refusal !== undefined) continue
    const wanted = roots.filter((root) => root.agents.some((id) => agents.includes(id)))
    // Without a folder, the agents are disabled; whether the skill supports them does not matter.
    const isExplicit = wanted.length > 0
    const found = attemptEquip(statuses, { names: [name], agents, roots: wanted, isExplicit }, byName)
    plan.operations.push(...found.operations)
    plan.findings.push(...found.findings, ...disabledIn(name, agents, roots))
  }
  if (leaves === undefined) return plan
  for (const status of statuses) {
    const { name, placements } = status
    const others = placements.filter((found) => found.state !== 'unmanaged' && leaves(name, found))
    // A person has edited it.
    plan.findings.push(
      ...others
        .filter(isEdited)
        .map((found) =>
          report(
            'EDITED_INSTALL/kept',
            { found: placeOf(found), name, agent: found.agent, found2: scopeFlag(found) },
            { subject: name },
          ),
        ),
    )
    const extra = others.filter((found) => !isEdited(found))
    const { operations, findings } = planUnequip([status], {
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

function attemptEquip(statuses: readonly SkillStatus[], request: EquipRequest, byName: StatusIndex): OperationPlan {
  try {
    return planEquip(statuses, request, byName)
  } catch (error) {
    return { operations: [], findings: [asFinding(error, { severity: 'error' })] }
  }
}

function disabledIn(name: string, agents: readonly string[], roots: readonly TargetRoot[]): Finding[] {
  const disabled = agents.filter((id) => !roots.some((root) => root.agents.includes(id)))
  if (disabled.length === 0) return []
  return [
    report(
      'UNSUPPORTED_TARGET/disabled-skill',
      { name, disabled: disabled.join(', '), disabled2: disabled.join(' ') },
      { subject: name },
    ),
  ]
}

function scopeFlag({ placement }: PlacementStatus): string {
  return placement.root.scope === 'project' ? ' --project .' : ''
}

/** Why Loadout does not change an existing folder. */
function inTheWay(name: string, found: PlacementStatus): Finding {
  const place = placeOf(found)
  if (found.state === 'unmanaged') {
    const where = scopeFlag(found)
    const replace = `loadout install ${name}${where} --replace installs the library's version`
    const hint =
      found.placement.kind === 'file'
        ? `remove it, or move it out of this folder: mv ${shellWord(place)} ~/`
        : found.placement.kind === 'link'
          ? `${replace}; what the link leads to stays`
          : `loadout diff ${name}${where} shows how it differs; ${replace} and keeps a copy elsewhere`
    return report('UNMANAGED_FOLDER/place', { place, reason: found.reason || undefined, hint }, { subject: name })
  }
  return needsAction(name, found)
}

/** What the user must decide about an install. */
export function needsAction(name: string, found: PlacementStatus): Finding {
  const place = placeOf(found)
  const where = scopeFlag(found)
  const edited = found.mayBeEdited ? '; it was edited by hand, and stays as it is' : ''
  switch (found.state) {
    case 'edited':
      return report('EDITED_INSTALL/stays', { place, name, where }, { subject: name })
    case 'broken':
      return report('UNMANAGED_FOLDER/broken', { place, reason: `${found.reason}` }, { subject: name })
    case 'unsupported':
      return report(
        'UNSUPPORTED_TARGET/no-longer',
        { place, agent: found.agent, edited, name, where },
        { subject: name },
      )
    case 'outdated':
      return report('OUTDATED_INSTALL/older', { place }, { subject: name })
    default:
      return report('OUTDATED_INSTALL/gone', { place, edited, name, where, word: shellWord(place) }, { subject: name })
  }
}

/** A refused skill, and why. */
export interface Refusal {
  /** Its name, or its folder without one. */
  name: string
  folder: string
  code: Code
  reason: string
  hint?: string
}

/** One finding for each cause, with all its skills. */
export function refusalFindings(refusals: readonly Omit<Refusal, 'folder'>[], verb = 'imported'): Finding[] {
  const causes = new Map<string, Omit<Refusal, 'folder'>[]>()
  for (const refusal of refusals) {
    const key = `${refusal.code}\0${refusal.reason}`
    causes.set(key, [...(causes.get(key) ?? []), refusal])
  }
  return [...causes.values()].map((group): Finding => {
    const [first] = group as [Refusal, ...Refusal[]]
    const { code, reason, hint } = first
    const isAlone = group.length === 1
    const whom = isAlone ? `${first.name} was` : `${group.length} skills were`
    const names = isAlone ? '' : `: ${listed(group.map(({ name }) => name))}`
    const subject = isAlone ? first.name : undefined
    return { ...report('INVALID_SKILL/refused', { whom, verb, reason, names, hint }, { subject }), code }
  })
}
