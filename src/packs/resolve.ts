import type { Machine } from '../machine/machine.ts'
import { readTaskWords } from '../search/task-words.ts'
import { estimateTokens } from '../text/tokens.ts'
import type { Finding, Report } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import { type CatalogRequest, findPack, type OpenedCatalog, openCatalog } from './catalog.ts'
import { createChooser } from './choose.ts'
import { openPack } from './disk/pack-folder.ts'
import { type SectionsOf, sectionsOnce } from './disk/section-cache.ts'
import { noteUse, type RecordRequest, recordContext } from './record.ts'
import { type Admission, admit, type RefusedPack, refuse } from './rules/gates/admission.ts'
import { type Catalog, type Collision, newerAlternative, wonBy } from './rules/gates/catalog.ts'
import type { TrustedPack } from './rules/gates/trust.ts'
import { PACK_FILE, settleWarnings } from './rules/pack.ts'
import { contextFindings } from './rules/resolve/context-findings.ts'
import {
  type ActivePack,
  newWrappers,
  orderWrappers,
  type PackContext,
  type PresentedPack,
  presentPack,
  type Substitution,
} from './rules/resolve/pack-context.ts'
import { resolvePack } from './rules/resolve/resolve-pack.ts'
import { givenPacks } from './session.ts'

export interface ResolveRequest extends CatalogRequest, RecordRequest {
  task: string
  /** Packs by name or path. Default: Loadout chooses by the task. */
  packs?: readonly string[] | undefined
  /** Tokens for all wrappers together. */
  budget?: number | undefined
  /** Each pack may take the whole budget. */
  isBudgetPerPack?: boolean | undefined
  /** Names of packs whose status the user confirmed. */
  confirmed?: readonly string[] | undefined
  /** Default: true. A preview passes false and leaves no record. */
  isRecorded?: boolean | undefined
}

const DEFAULT_PACK_BUDGET = 4_000

/** Collects what packs know about a task: passes the gates, picks what is useful, fences it and lists the gaps. */
export function resolvePacks(machine: Machine, request: ResolveRequest): Report<PackContext> {
  const opened = openCatalog(machine, { project: request.project, packs: request.packs })
  const sectionsOf = sectionsOnce(machine)
  const wanted = choosePacks(machine, opened, request, sectionsOf)
  const { admitted, refused, substitutions } = passGates(opened.catalog, wanted, request)
  const given = request.session === undefined ? [] : givenPacks(machine, request.session)
  const resolved = resolveAll(admitted, request, given, sectionsOf)
  const active = resolved.filter(isAsApproved)
  const swapped = resolved
    .filter((each) => !isAsApproved(each))
    .flatMap(({ pack }) => refuse(pack, 'approval-needed') ?? [])
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
  const recorded = request.isRecorded === false ? NOT_RECORDED : recordContext(machine, whole, request)
  const used = request.isRecorded === false ? [] : noteUse(machine, whole, request.session)
  return {
    value: { ...whole, auditId: recorded.auditId },
    findings: [...opened.findings.filter(isAboutApprovals), ...contextFindings(whole), ...recorded.findings, ...used],
  }
}

/** Whether the KNOWLEDGE.md that was read is the approved one: it may have been replaced after the check. */
function isAsApproved({ pack, resolution }: ActivePack): boolean {
  return pack.trust.files === undefined || pack.trust.files[PACK_FILE] === resolution.entryDigest
}

const NOT_RECORDED = { auditId: undefined, findings: [] as Finding[] }

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

function choosePacks(
  machine: Machine,
  { catalog, examples }: OpenedCatalog,
  request: ResolveRequest,
  sectionsOf: SectionsOf,
): Wanted[] {
  if (request.packs !== undefined && request.packs.length > 0) {
    const named = request.packs.map((typed) => findPack(machine, catalog, typed))
    return [...new Set(named)].map((pack) => ({ pack, activation: 'explicit', confidence: undefined }))
  }
  const all = catalog.entries.map(({ pack }) => pack)
  const closed = new Set(all.filter(isClosed))
  const among = (packs: readonly TrustedPack[]): Wanted[] => {
    const chosen = createChooser(packs, examples, sectionsOf).choose(request.task)
    return chosen.map((each) => ({ ...each, activation: 'implicit' }))
  }
  const wanted = among(all.filter((pack) => !closed.has(pack)))
  // Closed packs come last and replace no other. They are listed so that the user sees why they are closed.
  return [...wanted, ...among([...closed])]
}

/** Whether a task cannot use the pack, even with the user's confirmation. */
function isClosed(pack: TrustedPack): boolean {
  return admit(pack, { isExplicit: false, isConfirmed: true }).verdict === 'refused'
}

interface Admitted extends Wanted {
  admission: Admission
  confirmation: string | undefined
}

/** Checks trust, then status. Replaces a stale pack by a newer one of the same name, if there is one. */
function passGates(catalog: Catalog, wanted: readonly Wanted[], request: ResolveRequest) {
  const admitted: Admitted[] = []
  const refused: RefusedPack[] = []
  const substitutions: Substitution[] = []
  for (const each of wanted) {
    const newer = each.pack.manifest.status === 'stale' ? newerAlternative(each.pack, catalog.all) : undefined
    if (newer !== undefined) substitutions.push(substitution(each.pack, newer))
    const pack = newer ?? each.pack
    const isConfirmed = (request.confirmed ?? []).includes(pack.manifest.name)
    const admission = admit(pack, { isExplicit: each.activation === 'explicit', isConfirmed })
    const refusal = refuse(pack, admission.verdict)
    if (refusal !== undefined) refused.push(refusal)
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

/** Named packs share the budget. Packs that Loadout chose take what they need, the likeliest first. */
function resolveAll(
  admitted: readonly Admitted[],
  request: ResolveRequest,
  given: readonly string[],
  sectionsOf: SectionsOf,
): ActivePack[] {
  const budget = request.budget ?? DEFAULT_PACK_BUDGET
  const resolved = admitted.map((each) => resolveOne(each, request, sectionsOf))
  const isNew = ({ wrapper }: PresentedPack) => wrapper === undefined || !given.includes(sha256(wrapper))
  const isShared = admitted.length > 1 && admitted.every(({ activation }) => activation === 'explicit')
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

/** Resolves one pack; `present` fits the result into a budget. */
function resolveOne({ pack, admission, ...rest }: Admitted, request: ResolveRequest, sectionsOf: SectionsOf) {
  const resolution = askPack(pack, request, admission, sectionsOf)
  const warnings = settleWarnings([...pack.warnings, ...admission.warnings, ...resolution.warnings])
  const present = (budget: number) => presentPack(pack, { ...resolution, warnings }, budget, estimateTokens)
  return { pack, admission, resolution, present, ...rest }
}

/** What one pack says about a task, before any budget. */
export function askPack(
  pack: TrustedPack,
  { task, needs = [], cite = false, deep = false }: Pick<ResolveRequest, 'task' | 'needs' | 'cite' | 'deep'>,
  { mustEscalate }: Admission,
  sectionsOf: SectionsOf,
) {
  return resolvePack(pack.manifest, openPack(pack, pack.trust.files), {
    task,
    words: readTaskWords(task),
    needs,
    wantsCitations: cite,
    isDeep: deep,
    mustEscalate,
    tier: pack.trust.tier ?? 'guide',
    sections: () => sectionsOf(pack),
  })
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
