import type { Machine } from '../machine/machine.ts'
import { readTask, type Task } from '../search/task.ts'
import { estimateTokens } from '../text/tokens.ts'
import type { Finding } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import { type CatalogRequest, Packs } from './catalog.ts'
import { openPack } from './disk/pack-folder.ts'
import { findPacks } from './pack-source.ts'
import { givenPacks, type RecordRequest, recordContext } from './record.ts'
import { type Catalog, type Collision, newerAlternative, wonBy } from './rules/gates/catalog.ts'
import { type Admission, admit, type RefusedPack, refuse, type TrustedPack, whyNotOpen } from './rules/gates/trust.ts'
import { withholdSecrets } from './rules/guard.ts'
import { PACK_FILE, settleWarnings } from './rules/pack.ts'
import { findMissing } from './rules/resolve/gaps.ts'
import {
  type ActivePack,
  contextFindings,
  newWrappers,
  orderWrappers,
  type PackContext,
  type PresentedPack,
  presentPack,
  type Substitution,
} from './rules/resolve/pack-context.ts'
import { type PackResolution, resolvePack } from './rules/resolve/resolve-pack.ts'
import type { SectionHit } from './rules/resolve/sections.ts'
import { openSections, type PackSections } from './sections.ts'

export interface ResolveRequest extends CatalogRequest, RecordRequest {
  task: string
  /** Packs by name or path. Default: Loadout chooses by the task. */
  packs?: readonly string[]
  /** Tokens for all wrappers together. */
  budget?: number
  /** Each pack may take the whole budget. */
  isBudgetPerPack?: boolean
  /** Names of packs whose status the user confirmed. */
  confirmed?: readonly string[]
  /** Default: true. A preview passes false and leaves no record. */
  isRecorded?: boolean
  /** Leaves out packs that the task needs with less than this confidence. Default: 0, the best there is. */
  least?: number
  /** Passages that are delivered besides the packs: what they say is not missing. */
  besides?: readonly string[]
  /** The time at which the age of pages is judged. Default: the clock. */
  now?: Date
}

type Question = Omit<ResolveRequest, 'task'> & { task: Task }

const DEFAULT_PACK_BUDGET = 4_000

/** Collects what packs know about a task: passes the gates, picks what is useful, fences it and lists the gaps. */
export function resolvePacks(machine: Machine, request: ResolveRequest, task = readTask(request.task)): PackContext {
  const question = { ...request, task }
  const opened = new Packs(machine, { project: request.project, packs: request.packs })
  const { wanted, sections, hits } = findWanted(opened, question)
  const { admitted, refused, substitutions } = passGates(opened.catalog, wanted, request)
  // A persona, or a newer pack instead of a stale one, was chosen without a look at its text.
  const unread = admitted.map(({ pack }) => pack).filter(({ root }) => sections.wordsOf(root) === undefined)
  const all = unread.length === 0 ? hits : [...hits, ...openSections(machine, unread).rank(task)]
  const asked = admitted.map((each) => ({ ...each, resolution: askPack(machine, each, question, all, sections) }))
  const given = request.session === undefined ? [] : givenPacks(machine, request.session)
  const resolved = presentAll(withMissing(asked, question, sections), request, given)
  const active = resolved.filter(isAsApproved)
  const swapped = resolved
    .filter((each) => !isAsApproved(each))
    .map(({ pack }) => refuse(pack, 'approval-needed', whyNotOpen(pack.trust)))
  const context: PackContext = {
    task: request.task,
    active,
    refused: [...refused, ...swapped],
    substitutions,
    collisions: collisionsAmong(opened.catalog, wanted),
    tokens: 0,
    budget: request.budget ?? DEFAULT_PACK_BUDGET,
    auditId: undefined,
  }
  const tokens = newWrappers(context).reduce((sum, { text }) => sum + estimateTokens(text), 0)
  const whole = { ...context, tokens }
  const recorded = request.isRecorded === false ? undefined : recordContext(machine, whole, request)
  const findings = [...opened.findings.filter(isAboutApprovals), ...contextFindings(whole)]
  machine.report(...findings, ...(recorded?.findings ?? []))
  return { ...whole, auditId: recorded?.id }
}

/** Whether the KNOWLEDGE.md that was read is the approved one: it may have been replaced after the check. */
function isAsApproved({ pack, resolution }: ActivePack): boolean {
  return pack.trust.files === undefined || pack.trust.files[PACK_FILE] === resolution.entryDigest
}

/** Unreadable approvals close packs, so they are reported here too. */
function isAboutApprovals({ code }: Finding): boolean {
  return code === 'BAD_APPROVALS'
}

/** Collisions of the wanted packs. A pack that the user named by path wins over the catalog's choice. */
function collisionsAmong({ collisions }: Catalog, wanted: readonly Wanted[]): Collision[] {
  return collisions.flatMap((collision) => {
    const found = wanted.find(({ pack }) => pack.manifest.name === collision.name)
    return found === undefined ? [] : [wonBy(collision, found.pack.root)]
  })
}

interface Wanted {
  pack: TrustedPack
  activation: ActivePack['activation']
  confidence: number | undefined
}

/** The named packs; without names, those of the sections that match best, and closed ones whose description fits. */
function findWanted(opened: Packs, question: Question) {
  const { task, packs = [], least = 0 } = question
  if (packs.length > 0) {
    const named = [...new Set(packs.map((typed) => opened.get(typed)))]
    const wanted = named.map((pack): Wanted => ({ pack, activation: 'explicit', confidence: undefined }))
    const usable = passGates(opened.catalog, wanted, question).admitted.map(({ pack }) => pack)
    const sections = openSections(opened.machine, usable)
    return { wanted, sections, hits: sections.rank(task) }
  }
  const { open, closed, sections, hits } = findPacks(opened, opened.all, task)
  const wanted = [...open, ...closed].filter(({ confidence }) => confidence >= least)
  return { wanted: wanted.map((each): Wanted => ({ ...each, activation: 'implicit' })), sections, hits }
}

interface Admitted extends Wanted {
  admission: Admission
  confirmation: string | undefined
}

/** Checks trust, then status. Replaces a stale pack by a newer one of the same name, if there is one. */
function passGates(catalog: Catalog, wanted: readonly Wanted[], request: Pick<ResolveRequest, 'confirmed'>) {
  const admitted: Admitted[] = []
  const refused: RefusedPack[] = []
  const substitutions: Substitution[] = []
  for (const each of wanted) {
    const newer = each.pack.manifest.status === 'stale' ? newerAlternative(each.pack, catalog.all) : undefined
    if (newer !== undefined) substitutions.push(substitution(each.pack, newer))
    const pack = newer ?? each.pack
    const isConfirmed = (request.confirmed ?? []).includes(pack.manifest.name)
    const admission = admit(pack, { isExplicit: each.activation === 'explicit', isConfirmed })
    if (admission.reason !== undefined) refused.push(refuse(pack, admission.reason, admission.why))
    else admitted.push({ ...each, pack, admission, confirmation: isConfirmed ? confirmationOf(pack) : undefined })
  }
  return { admitted, refused, substitutions }
}

/** Identifies what the user confirmed: this status of this pack. */
function confirmationOf({ root, manifest }: TrustedPack): string {
  return sha256(JSON.stringify([root, manifest.name, manifest.status])).slice(0, 16)
}

function substitution(stale: TrustedPack, newer: TrustedPack): Substitution {
  const side = ({ scope, root, manifest }: TrustedPack) => ({ scope, path: root, version: manifest.version })
  return { name: stale.manifest.name, from: side(stale), to: side(newer) }
}

type Asked = Admitted & { resolution: PackResolution }

/** Adds what nothing of the chosen text says to the first pack of facts. */
function withMissing(asked: readonly Asked[], question: Question, sections: PackSections): Asked[] {
  const { task, needs = [], besides = [] } = question
  const given = asked.map(({ pack: { manifest }, resolution }) => ({ manifest, resolution }))
  const missing = findMissing(task, needs, { given, besides }, sections.rarity).map(
    (fact) => withholdSecrets(fact).text,
  )
  const first = asked.find(({ pack }) => pack.manifest.mode !== 'persona') ?? asked[0]
  return asked.map((each) => {
    const own = each === first ? [...new Set([...each.resolution.missing, ...missing])] : each.resolution.missing
    return { ...each, resolution: { ...each.resolution, missing: own } }
  })
}

/** Named packs share the budget. Packs that Loadout chose take what they need, the likeliest first. */
function presentAll(asked: readonly Asked[], request: ResolveRequest, given: readonly string[]): ActivePack[] {
  const budget = request.budget ?? DEFAULT_PACK_BUDGET
  const resolved = asked.map(({ pack, admission, resolution, ...rest }) => {
    const warnings = settleWarnings([...pack.warnings, ...admission.warnings, ...resolution.warnings])
    const present = (most: number) => presentPack(pack, { ...resolution, warnings }, most, estimateTokens)
    return { pack, admission, resolution, present, ...rest }
  })
  const isNew = ({ wrapper }: PresentedPack) => wrapper === undefined || !given.includes(sha256(wrapper))
  const isShared = asked.length > 1 && asked.every(({ activation }) => activation === 'explicit')
  const needs = isShared
    ? resolved.map(({ present }) => present(budget)).map((each) => (isNew(each) ? each.tokens : 0))
    : []
  const shares = shareBudget(needs, budget)
  let left = budget
  const active = resolved.map(({ admission, present, ...rest }, order) => {
    // Text that the session already has costs nothing: only its name is shown.
    const share = isShared && needs[order] !== 0 ? (shares[order] ?? 0) : left
    const most = request.isBudgetPerPack ? budget : share
    const presented = present(most)
    const isRepeated = presented.wrapper !== undefined && !isNew(presented)
    if (!isRepeated) left -= presented.tokens
    const { name, mode } = rest.pack.manifest
    return { name, mode, order, active: { ...rest, showsGaps: admission.showsGaps, presented, isRepeated } }
  })
  return orderWrappers(active).map((each) => each.active)
}

/** What one pack says about a task, before any budget. */
export function askPack(
  machine: Machine,
  { pack, admission }: { pack: TrustedPack; admission: Admission },
  { task, cite = false, deep = false, now }: Pick<Question, 'task' | 'cite' | 'deep' | 'now'>,
  hits: readonly SectionHit[],
  sections: PackSections,
): PackResolution {
  const resolution = resolvePack(pack.manifest, openPack(machine, pack, pack.trust.files), {
    task,
    wantsCitations: cite,
    isDeep: deep,
    isDisputed: admission.isDisputed,
    today: (now ?? machine.now()).toISOString().slice(0, 10),
    hits: hits.filter(({ root }) => root === pack.root),
    rarity: sections.rarity,
  })
  const found = sections.warningsOf(pack.root)
  return { ...resolution, warnings: [...resolution.warnings, ...found] }
}

/** Divides a budget: packs that need less than an equal share get all they need, the others share the rest equally. */
export function shareBudget(needs: readonly number[], budget: number): number[] {
  const shares = needs.map(() => 0)
  const order = needs.map((need, at) => ({ need, at })).sort((a, b) => a.need - b.need || a.at - b.at)
  let left = budget
  for (const [done, { need, at }] of order.entries()) {
    shares[at] = Math.min(need, Math.floor(left / (order.length - done)))
    left -= shares[at]
  }
  return shares
}
