import type { Machine } from '../machine/machine.ts'
import { describeWhy, percent } from '../search/document.ts'
import { readTask } from '../search/task.ts'
import { shellWord } from '../text/printable.ts'
import { type CatalogRequest, type Discovery, Packs } from './catalog.ts'
import { openPack } from './disk/pack-folder.ts'
import { explainChoice } from './pack-source.ts'
import {
  type Catalog,
  type CatalogRow,
  type Collision,
  catalogRow,
  type DisclosedPack,
  discloseCatalog,
  newerAlternative,
} from './rules/gates/catalog.ts'
import {
  type Admission,
  admit,
  isUndecided,
  packWord,
  type TrustedPack,
  type TrustState,
  whyNotOpen,
} from './rules/gates/trust.ts'
import { LAYERS, type PackLayer, type PackStatus, type Scope, settleWarnings } from './rules/pack.ts'

export interface PackView extends CatalogRow {
  license?: string
  maintainers: readonly string[]
  updated?: string
  primaryAnswers?: string
  /** What may be read; absent while the pack is closed. */
  isOpen: boolean
  approvalId?: string
  /** The decision of the gates when a user names it. */
  admission: Admission['verdict']
  /** The command to run next. */
  next: string
  /** Number of files per folder. Absent while the pack is closed. */
  files?: { layer: PackLayer; count: number }[]
  collision?: Collision
}

/** Shows the metadata of a pack, its place and its problems. Never its text. */
export function showPack(machine: Machine, request: CatalogRequest & { pack: string }): PackView {
  const packs = new Packs(machine, { ...request, packs: [request.pack] })
  const value = viewPack(machine, packs.catalog, packs.get(request.pack))
  machine.report(...packs.findings.filter(({ code }) => !code.startsWith('catalog.')))
  return value
}

export function viewPack(machine: Machine, catalog: Catalog, pack: TrustedPack): PackView {
  const { manifest, trust } = pack
  const { verdict, warnings } = admit(pack, { isExplicit: true, isConfirmed: false })
  const collision = catalog.collisions.find(({ name }) => name === manifest.name)
  const { license, updated, primaryAnswers, maintainers } = manifest
  return {
    ...catalogRow(pack),
    diagnostics: settleWarnings([...pack.warnings, ...warnings]),
    maintainers,
    license,
    updated,
    primaryAnswers,
    isOpen: trust.isOpen,
    approvalId: trust.approvalId,
    admission: verdict,
    next: nextStep(pack, verdict),
    files: trust.isOpen ? countFiles(machine, pack) : undefined,
    collision,
  }
}

/** The command that a user runs next to use the pack. */
export function nextStep({ manifest, root }: TrustedPack, verdict: Admission['verdict']): string {
  const word = shellWord(root)
  if (verdict === 'admitted') return `loadout packs resolve "<task>" --pack ${shellWord(manifest.name)}`
  if (verdict === 'confirmation-needed')
    return `loadout packs resolve "<task>" --pack ${shellWord(manifest.name)} --confirm ${shellWord(manifest.name)}`
  return verdict === 'approval-needed' ? `loadout approve ${word}` : `loadout explain pack:${word}`
}

function countFiles(machine: Machine, pack: TrustedPack): { layer: PackLayer; count: number }[] {
  const files = openPack(machine, pack)
  return LAYERS.map((layer) => ({ layer, count: files.list(layer).length })).filter(({ count }) => count > 0)
}

/** One of the checks that a pack must pass to reach a model, and its result. */
export interface Step {
  question: 'place' | 'name' | 'trust' | 'status' | 'agents' | 'task'
  isPassed: boolean
  says: string
  /** The command that would change the result. */
  command?: string
}

export interface PackTrail {
  name: string
  root: string
  scope: Scope
  trust: TrustState
  status: PackStatus | 'unknown'
  steps: Step[]
  /** The decision when only a task fits it, and when the user names it. */
  implicit: Admission['verdict']
  explicit: Admission['verdict']
  collision?: Collision
}

/** Explains why a pack is used or not: its place, name, trust, status, and match with the task. */
export function explainPack(machine: Machine, request: CatalogRequest & { pack: string; task?: string }): PackTrail {
  const packs = new Packs(machine, { ...request, packs: [request.pack] })
  const { catalog, findings } = packs
  const pack = packs.get(request.pack)
  const { manifest, scope, root, trust } = pack
  const collision = catalog.collisions.find(({ name }) => name === manifest.name)
  const value: PackTrail = {
    name: manifest.name,
    root,
    scope,
    trust: trust.state,
    status: manifest.status ?? 'unknown',
    steps: [
      { question: 'place', isPassed: true, says: `found in ${PLACES[scope]}, ${root}` },
      nameStep(pack, catalog),
      trustStep(pack),
      statusStep(pack, catalog),
      ...(request.task === undefined ? [] : [taskStep(packs, request.task, pack)]),
    ],
    implicit: admit(pack, { isExplicit: false, isConfirmed: false }).verdict,
    explicit: admit(pack, { isExplicit: true, isConfirmed: false }).verdict,
    collision,
  }
  machine.report(...findings.filter(({ code }) => !code.startsWith('catalog.')))
  return value
}

const PLACES: Record<Scope, string> = {
  explicit: 'the path that you named',
  workspace: 'the workspace',
  user: "the user's packs",
  organization: "the organization's packs",
  'built-in': 'the packs that come with Loadout',
}

function nameStep(pack: TrustedPack, { entries, waiting }: Catalog): Step {
  const entry = entries.find((each) => each.pack.manifest.name === pack.manifest.name)
  const winner = entry?.pack ?? pack
  if (winner === pack) return { question: 'name', isPassed: true, says: namesakes(entry?.shadowed ?? [], waiting) }
  const by = `the pack in ${PLACES[winner.scope]}, ${winner.root},`
  const says = waiting.includes(pack)
    ? `${by} is used until this one is approved`
    : `${by} is used; this one only if you name its path`
  return { question: 'name', isPassed: false, says }
}

function namesakes(shadowed: readonly TrustedPack[], waiting: readonly TrustedPack[]): string {
  const scopes = (packs: readonly TrustedPack[]) => packs.map(({ scope }) => scope).join(', ')
  const ahead = shadowed.filter((pack) => waiting.includes(pack))
  const behind = shadowed.filter((pack) => !waiting.includes(pack))
  const says = [
    ...(ahead.length === 0 ? [] : [`it is used until a pack of the same name is approved: ${scopes(ahead)}`]),
    ...(behind.length === 0 ? [] : [`it is used instead of packs of the same name: ${scopes(behind)}`]),
  ]
  return says.join('; ') || 'no other pack has its name'
}

function trustStep({ trust, scope, root }: TrustedPack): Step {
  const says: Record<TrustState, string> = {
    trusted: `trusted, because it is in ${PLACES[scope]}`,
    approved: 'approved, and unchanged since',
    unapproved: 'it is not approved',
    changed: `it ${whyNotOpen(trust)}`,
    denied: 'it was denied',
    held: trust.held?.why ?? '',
  }
  if (!trust.isOpen) {
    const command = trust.held === undefined ? `loadout approve ${shellWord(root)}` : 'loadout catalog search'
    return { question: 'trust', isPassed: false, says: says[trust.state], command }
  }
  const warned = trust.warnings.map(({ message }) => `; ${message}`)
  return { question: 'trust', isPassed: true, says: says[trust.state] + warned.join('') }
}

function statusStep(pack: TrustedPack, { all }: Catalog): Step {
  const { status } = pack.manifest
  const newer = status === 'stale' ? newerAlternative(pack, all) : undefined
  const instead =
    newer === undefined ? '' : `; ${packWord(newer.manifest.version ?? newer.scope)} is newer and is used instead`
  const says: Record<PackStatus, string> = {
    ready: 'ready',
    draft: 'a draft: used only after you confirm it',
    'needs-review': 'not reviewed yet: used with a warning and a list of gaps',
    stale:
      newer === undefined ? 'out of date, and there is no newer pack: used with a warning' : `out of date${instead}`,
    disputed: 'disputed: used only after you confirm it, with a warning and with the pages behind it',
    archived: 'archived: used only when it is named',
  }
  const isPassed = status === 'ready' || status === 'needs-review' || (status === 'stale' && newer === undefined)
  return { question: 'status', isPassed, says: status === undefined ? 'unknown: never used' : says[status] }
}

/** Whether the task would choose the pack from the catalog. */
function taskStep(packs: Packs, task: string, pack: TrustedPack): Step {
  const { confidence, section, described } = explainChoice(packs, pack, readTask(task))
  const place = section && section.from > 0 && `${section.path}, line ${section.from}, is about it`
  const reasons = [place, described && describeWhy(described.why)].filter(Boolean).join('; ')
  if (confidence !== undefined) {
    const says = `the task chooses it, confidence ${percent(confidence)}: ${reasons}`
    return { question: 'task', isPassed: true, says }
  }
  const says = reasons === '' ? 'it shares no word with the task' : `other packs fit better: ${reasons}`
  return { question: 'task', isPassed: false, says }
}

export interface ListedPack extends CatalogRow {
  /** Another pack has its name. */
  isShadowed: boolean
}

export interface WaitingPack {
  name: string
  scope: Scope
  root: string
  trust: TrustState
  /** Whether approving it would replace another pack of the same name. */
  wouldShadow: boolean
  /** The command that approves it. */
  command: string
}

export interface PackList {
  packs: ListedPack[]
  /** Packs that only `--all` lists. */
  hidden: { archived: number; shadowed: number }
  waiting: WaitingPack[]
  collisions: readonly Collision[]
  quarantined: Discovery['quarantined']
  roots: Discovery['roots']
  skipped: Discovery['skipped']
  /** The fenced list of packs for a model; empty without packs. */
  disclosure: string
}

/** Lists the packs by name. `all` adds archived packs and those that another pack of the same name shadows. */
export function listPacks(machine: Machine, request: CatalogRequest & { all?: boolean }): PackList {
  const { catalog, discovery, findings } = new Packs(machine, request)
  const winners = catalog.entries.map(({ pack }) => pack)
  const isShadowed = (pack: TrustedPack) => !winners.includes(pack)
  const isArchived = ({ manifest }: TrustedPack) => manifest.status === 'archived'
  const ordered = catalog.entries.flatMap(({ pack, shadowed }) => [pack, ...shadowed])
  const shown = request.all ? ordered : ordered.filter((pack) => !isShadowed(pack) && !isArchived(pack))
  const { quarantined, roots, skipped } = discovery
  const value = {
    packs: shown.map((pack) => ({ ...catalogRow(pack), isShadowed: isShadowed(pack) })),
    hidden: request.all
      ? { archived: 0, shadowed: 0 }
      : { archived: winners.filter(isArchived).length, shadowed: ordered.length - winners.length },
    waiting: [
      ...winners.filter(isUndecided).map((pack) => describeWaiting(pack, false)),
      ...catalog.waiting.map((pack) => describeWaiting(pack, true)),
    ],
    collisions: catalog.collisions,
    quarantined,
    roots,
    skipped,
    disclosure: discloseCatalog(
      winners.filter(({ trust }) => trust.state !== 'denied' && trust.state !== 'held').map(toDisclose),
    ),
  }
  machine.report(...findings)
  return value
}

function toDisclose(pack: TrustedPack): DisclosedPack {
  const { name, description, type, status = 'unknown' } = pack.manifest
  const { scope, trust } = pack
  return { name, description, type, status, trust: trust.state, scope, needsApproval: isUndecided(pack) }
}

function describeWaiting({ manifest, scope, root, trust }: TrustedPack, wouldShadow: boolean): WaitingPack {
  const command = `loadout approve ${shellWord(root)}`
  return { name: manifest.name, scope, root, trust: trust.state, wouldShadow, command }
}
