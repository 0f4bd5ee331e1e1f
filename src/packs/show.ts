import type { Machine } from '../machine/machine.ts'
import { describeWhy, percent } from '../search/document.ts'
import { readTask } from '../search/task.ts'
import { shellWord } from '../text/printable.ts'
import { type CatalogRequest, type Discovery, Packs } from './catalog.ts'
import { PackFolder } from './disk/pack-folder.ts'
import { explainChoice } from './pack-source.ts'
import {
  type CatalogRow,
  type Collision,
  catalogRow,
  discloseCatalog,
  newerAlternative,
} from './rules/gates/catalog.ts'
import { type Admission, admit, packWord, type TrustedPack, type TrustState, whyNotOpen } from './rules/gates/trust.ts'
import { LAYERS, type PackLayer, type PackStatus, type Scope, settleWarnings } from './rules/pack.ts'
import { readRecords } from './rules/records.ts'

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
  /** What the pack itself says that it lacks: claims without a source, and open questions. Absent while it is closed. */
  gaps?: string[]
  collision?: Collision
}

/** Shows the metadata of a pack, its place and its problems. Never its text. */
export function showPack(machine: Machine, request: CatalogRequest & { pack: string }): PackView {
  const packs = new Packs(machine, { ...request, packs: [request.pack] })
  const value = viewPack(packs, packs.get(request.pack))
  machine.report(...packs.findings.filter(({ code }) => !code.startsWith('catalog.')))
  return value
}

export function viewPack({ machine, catalog }: Packs, pack: TrustedPack): PackView {
  const { manifest, trust } = pack
  const { verdict, warnings, next } = admit(pack, { isExplicit: true })
  const { license, updated, primaryAnswers, maintainers, name } = manifest
  const files = trust.isOpen ? new PackFolder(machine, pack, trust) : undefined
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
    next,
    files:
      files && LAYERS.map((layer) => ({ layer, count: files.list(layer).length })).filter(({ count }) => count > 0),
    gaps: files && [
      ...readRecords(files).claims.flatMap(({ status, text }) =>
        status === 'missing' || status === 'source-required' ? [text] : [],
      ),
      ...files.list('wiki/open-questions'),
    ],
    collision: catalog.collisions.find((each) => each.name === name),
  }
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
  const { name, status } = manifest

  const entry = catalog.entries.find((each) => each.pack.manifest.name === name)
  const winner = entry?.pack ?? pack
  const scopesOf = (isAhead: boolean) =>
    (entry?.shadowed ?? []).filter((each) => catalog.waiting.includes(each) === isAhead).map((each) => each.scope)
  const [ahead, behind] = [scopesOf(true), scopesOf(false)]
  const namesakes = [
    ...(ahead.length === 0 ? [] : [`it is used until a pack of the same name is approved: ${ahead.join(', ')}`]),
    ...(behind.length === 0 ? [] : [`it is used instead of packs of the same name: ${behind.join(', ')}`]),
  ]
  const by = `the pack in ${PLACES[winner.scope]}, ${winner.root},`
  const instead = catalog.waiting.includes(pack)
    ? `${by} is used until this one is approved`
    : `${by} is used; this one only if you name its path`
  const isWinner = winner === pack

  const trusts: Record<TrustState, string> = {
    trusted: `trusted, because it is in ${PLACES[scope]}`,
    approved: 'approved, and unchanged since',
    unapproved: 'it is not approved',
    changed: trust.isOpen ? 'it has changed since it was approved' : `it ${whyNotOpen(trust)}`,
    denied: 'it was denied',
    held: trust.held ?? '',
  }
  const doubts = trust.isOpen ? trust.warnings.map(({ message }) => `; ${message}`) : []
  const decide = trust.held === undefined ? `loadout approve ${shellWord(root)}` : 'loadout catalog search'

  const newer = status === 'stale' ? newerAlternative(pack, catalog.all) : undefined
  const newest = newer && packWord(newer.manifest.version ?? newer.scope)
  const states: Record<PackStatus, string> = {
    ready: 'ready',
    draft: 'a draft: used only after you confirm it',
    'needs-review': 'not reviewed yet: used with a warning and a list of gaps',
    stale: newest
      ? `out of date; ${newest} is newer and is used instead`
      : 'out of date, and there is no newer pack: used with a warning',
    disputed: 'disputed: used only after you confirm it, with a warning and with the pages behind it',
    archived: 'archived: used only when it is named',
  }
  const isUsable = status === 'ready' || status === 'needs-review' || (status === 'stale' && newer === undefined)

  const value: PackTrail = {
    name,
    root,
    scope,
    trust: trust.state,
    status: status ?? 'unknown',
    steps: [
      { question: 'place', isPassed: true, says: `found in ${PLACES[scope]}, ${root}` },
      {
        question: 'name',
        isPassed: isWinner,
        says: isWinner ? namesakes.join('; ') || 'no other pack has its name' : instead,
      },
      {
        question: 'trust',
        isPassed: trust.isOpen,
        says: [trusts[trust.state], ...doubts].join(''),
        command: trust.isOpen ? undefined : decide,
      },
      { question: 'status', isPassed: isUsable, says: status === undefined ? 'unknown: never used' : states[status] },
      ...(request.task === undefined ? [] : [taskStep(packs, request.task, pack)]),
    ],
    implicit: admit(pack).verdict,
    explicit: admit(pack, { isExplicit: true }).verdict,
    collision: catalog.collisions.find((each) => each.name === name),
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

/** Whether the task would choose the pack from the catalog. */
function taskStep(packs: Packs, task: string, pack: TrustedPack): Step {
  const { confidence, section, described } = explainChoice(packs, pack, readTask(task))
  const place = section && section.from > 0 && `${section.path}, line ${section.from}, is about it`
  const reasons = [place, described && describeWhy(described.why)].filter(Boolean).join('; ')
  const instead = reasons === '' ? 'it shares no word with the task' : `other packs fit better: ${reasons}`
  const says = confidence === undefined ? instead : `the task chooses it, confidence ${percent(confidence)}: ${reasons}`
  return { question: 'task', isPassed: confidence !== undefined, says }
}

interface WaitingPack {
  name: string
  scope: Scope
  root: string
  trust: TrustState
  /** Whether approving it would replace another pack of the same name. */
  wouldShadow: boolean
  description: string
  /** What it says of itself: its status and label. */
  says: string
  files: number
  bytes: number
  /** Since an earlier approval. */
  changes: readonly string[]
  /** The command that approves it. */
  command: string
}

export interface PackList {
  packs: (CatalogRow & {
    /** Another pack has its name. */
    isShadowed: boolean
  })[]
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
  const packs = new Packs(machine, request)
  const { catalog, discovery, findings, all: winners } = packs
  const isShadowed = (pack: TrustedPack) => !winners.includes(pack)
  const isArchived = ({ manifest }: TrustedPack) => manifest.status === 'archived'
  const ordered = catalog.entries.flatMap(({ pack, shadowed }) => [pack, ...shadowed])
  const shown = request.all ? ordered : ordered.filter((pack) => !isShadowed(pack) && !isArchived(pack))
  const waiting = (pack: TrustedPack, wouldShadow: boolean): WaitingPack => {
    const { manifest, scope, root, trust } = pack
    const { name, description, status = 'unknown status', type } = manifest
    // Names and sizes only: its text is not read before a person has agreed.
    const files = new PackFolder(machine, pack)
    const paths = files.list('')
    const bytes = paths.reduce((sum, path) => sum + (files.sizeOf(path) ?? 0), 0)
    return {
      name,
      scope,
      root,
      trust: trust.state,
      wouldShadow,
      description,
      says: [type, status, manifest.trust].filter(Boolean).join(', '),
      files: paths.length,
      bytes,
      changes: trust.changes ?? [],
      command: `loadout approve ${shellWord(root)}`,
    }
  }
  const { quarantined, roots, skipped } = discovery
  machine.report(...findings)
  return {
    packs: shown.map((pack) => ({ ...catalogRow(pack), isShadowed: isShadowed(pack) })),
    hidden: request.all
      ? { archived: 0, shadowed: 0 }
      : { archived: winners.filter(isArchived).length, shadowed: ordered.length - winners.length },
    waiting: [
      ...winners.filter(({ trust }) => trust.isUndecided).map((pack) => waiting(pack, false)),
      ...catalog.waiting.map((pack) => waiting(pack, true)),
    ],
    collisions: catalog.collisions,
    quarantined,
    roots,
    skipped,
    disclosure: discloseCatalog(winners),
  }
}
