import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { readTaskWords } from '../search/task-words.ts'
import { estimateTokens } from '../text/tokens.ts'
import type { Finding, Report } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import { findPack, type OpenedCatalog, openCatalog } from './catalog.ts'
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

export interface ResolveRequest extends RecordRequest {
  task: string
  /** Packs by name or path; without any, those that fit the task. */
  packs?: readonly string[] | undefined
  /** Tokens for all wrappers together. */
  budget?: number | undefined
  /** Each pack may take the whole budget. */
  isBudgetPerPack?: boolean | undefined
  /** Packs whose status the user said yes to. */
  confirmed?: readonly string[] | undefined
  project?: string | Project | undefined
  /** Default: true. A look at what would happen leaves no trace. */
  isRecorded?: boolean | undefined
}

const DEFAULT_PACK_BUDGET = 4_000

/** What the packs of this machine know about a task: gated, reduced to what is useful, fenced, with what is missing. */
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

/** The file that was read is the one that was judged: it may have been swapped in between. */
function isAsApproved({ pack, resolution }: ActivePack): boolean {
  return pack.trust.files === undefined || pack.trust.files[PACK_FILE] === resolution.entryDigest
}

const NOT_RECORDED = { auditId: undefined, findings: [] as Finding[] }

/** A broken store of approvals shuts packs that were open: that must be said here too. */
function isAboutApprovals({ code }: Finding): boolean {
  return code === 'BAD_APPROVALS'
}

/** Whichever pack has the name in the catalog: a pack that was named by its path wins here. */
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
  const shut = new Set(all.filter(isShut))
  const among = (packs: readonly TrustedPack[]): Wanted[] => {
    const chosen = createChooser(packs, examples, sectionsOf).choose(request.task)
    return chosen.map((each) => ({ ...each, activation: 'implicit' }))
  }
  const wanted = among(all.filter((pack) => !shut.has(pack)))
  // Closed packs override no other. They are listed, so that the user can see why.
  return [...wanted, ...among([...shut])]
}

/** Whatever anybody answers now, a task alone does not open it. */
function isShut(pack: TrustedPack): boolean {
  return admit(pack, { isExplicit: false, isConfirmed: true }).verdict === 'refused'
}

interface Admitted extends Wanted {
  admission: Admission
  confirmation: string | undefined
}

/** Trust, then status; for a stale pack a newer one of its name, if there is one. */
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

/** What was said yes to: this status of this pack. */
function confirmationOf({ root, manifest }: TrustedPack): string {
  return sha256(JSON.stringify([root, manifest.name, manifest.status])).slice(0, 16)
}

function substitution(stale: TrustedPack, newer: TrustedPack): Substitution {
  const side = ({ scope, root, manifest }: TrustedPack) => ({ scope, path: root, version: manifest.version })
  return { name: stale.manifest.name, from: side(stale), to: side(newer) }
}

/** Packs that were named share the budget. Of those that a task chose, the likeliest takes first what it needs. */
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
    // What the session has already takes no room, and is only named.
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

/** What a pack says about the task, and how it is shown within so many tokens. */
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

/** Divides a budget: who needs less than an equal share gets what it needs, and the others share the rest equally. */
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
