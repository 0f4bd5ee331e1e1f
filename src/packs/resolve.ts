import type { Machine } from '../machine/machine.ts'
import { readTask, type Task } from '../search/task.ts'
import { estimateTokens } from '../text/tokens.ts'
import { sha256 } from '../text/values.ts'
import { type CatalogRequest, Packs } from './catalog.ts'
import { PackFolder } from './disk/pack-folder.ts'
import { findPacks } from './pack-source.ts'
import { newerAlternative, wonBy } from './rules/gates/catalog.ts'
import { type Admission, admit, type RefusedPack, type TrustedPack } from './rules/gates/trust.ts'
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
import { SectionIndexes } from './sections.ts'
import type { PackSections } from './stored-sections.ts'

export interface ResolveRequest extends CatalogRequest {
  task: string
  /** Packs by name or path. Default: Loadout chooses by the task. */
  packs?: readonly string[]
  /** Tokens for all wrappers together. */
  budget?: number
  /** Each pack may take the whole budget. */
  isBudgetPerPack?: boolean
  /** Names of packs whose status the user confirmed. */
  confirmed?: readonly string[]
  cite?: boolean
  deep?: boolean
  /** Facts that the caller needs. */
  needs?: readonly string[]
  /** Digests of the texts that the session already has: they are not repeated. */
  known?: readonly string[]
  /** Leaves out packs that the task needs with less than this confidence. Default: 0, the best there is. */
  least?: number
  /** Passages that are delivered besides the packs: what they say is not missing. */
  besides?: readonly string[]
  /** The time at which the age of pages is judged. Default: the clock. */
  now?: Date
}

/** Collects what packs know about a task: passes the gates, picks what is useful, fences it and lists the gaps. */
export function resolvePacks(machine: Machine, request: ResolveRequest, task = readTask(request.task)): PackContext {
  const { packs = [], needs = [], besides = [], confirmed = [], least = 0, known = [], budget = 4_000 } = request
  const opened = new Packs(machine, { project: request.project, packs })
  const { catalog } = opened

  // The named packs; without names, those of the sections that match best, and closed ones whose description fits.
  const isExplicit = packs.length > 0
  const found = isExplicit ? undefined : findPacks(opened, opened.all, task)
  const wanted: { pack: TrustedPack; confidence?: number }[] =
    found === undefined
      ? [...new Set(packs.map((typed) => opened.get(typed)))].map((pack) => ({ pack }))
      : [...found.open, ...found.closed].filter(({ confidence }) => confidence >= least)

  // The gate. A stale pack is replaced by a newer one of the same name, if there is one.
  const admitted: (Pick<ActivePack, 'pack' | 'confidence' | 'confirmation'> & { admission: Admission })[] = []
  const refused: RefusedPack[] = []
  const substitutions: Substitution[] = []
  for (const { pack: asked, confidence } of wanted) {
    const newer = asked.manifest.status === 'stale' ? newerAlternative(asked, catalog.all) : undefined
    const pack = newer ?? asked
    const { root, manifest } = pack
    const side = (each: TrustedPack) => ({ scope: each.scope, path: each.root, version: each.manifest.version })
    if (newer !== undefined) substitutions.push({ name: manifest.name, from: side(asked), to: side(newer) })
    const isConfirmed = confirmed.includes(manifest.name)
    const admission = admit(pack, { isExplicit, isConfirmed })
    // Identifies what the user confirmed: this status of this pack.
    const confirmation = sha256(JSON.stringify([root, manifest.name, manifest.status])).slice(0, 16)
    if (admission.refused !== undefined) refused.push(admission.refused)
    else admitted.push({ pack, confidence, admission, confirmation: isConfirmed ? confirmation : undefined })
  }

  const sections = found?.sections ?? new SectionIndexes(machine).open(admitted.map(({ pack }) => pack))
  // A persona, or a newer pack instead of a stale one, was chosen without a look at its text.
  const unread = admitted.map(({ pack }) => pack).filter(({ root }) => sections.wordsOf(root) === undefined)
  const others = unread.length === 0 ? [] : new SectionIndexes(machine).open(unread).rank(task)
  const hits = [...(found?.hits ?? sections.rank(task)), ...others]
  const asked = admitted.map((each) => ({
    ...each,
    resolution: askPack(machine, each, { ...request, task }, hits, sections),
  }))

  // What nothing of the chosen text says is a gap of the first pack of facts.
  const given = asked.map(({ pack: { manifest }, resolution }) => ({ manifest, resolution }))
  const missing = findMissing(task, needs, { given, besides }, sections.rarity)
  const first = asked.find(({ pack }) => pack.manifest.mode !== 'persona') ?? asked[0]
  if (first !== undefined) {
    const gaps = [...first.resolution.missing, ...missing.map((fact) => withholdSecrets(fact).text)]
    first.resolution = { ...first.resolution, missing: [...new Set(gaps)] }
  }

  const presented = presentAll(asked, budget, { isExplicit, isEach: request.isBudgetPerPack ?? false, known })
  // The KNOWLEDGE.md that was read must be the approved one: it may have been replaced after the check.
  const isAsApproved = ({ pack: { trust }, resolution }: ActivePack) =>
    trust.files === undefined || trust.files[PACK_FILE] === resolution.entryDigest
  for (const { pack } of presented.filter((each) => !isAsApproved(each))) {
    refused.push(admit({ ...pack, trust: { ...pack.trust, isOpen: false } }, { isExplicit: true }).refused!)
  }
  const context: PackContext = {
    task: request.task,
    active: presented.filter(isAsApproved),
    refused,
    substitutions,
    // A pack that the user named by path wins over the catalog's choice.
    collisions: catalog.collisions.flatMap((collision) => {
      const named = wanted.find(({ pack }) => pack.manifest.name === collision.name)
      return named === undefined ? [] : [wonBy(collision, named.pack.root)]
    }),
    tokens: 0,
    budget,
    auditId: undefined,
  }
  context.tokens = newWrappers(context).reduce((sum, { text }) => sum + estimateTokens(text), 0)
  // Unreadable approvals close packs, so they are reported here too.
  const approvals = opened.findings.filter(({ code }) => code === 'BAD_APPROVALS')
  machine.report(...approvals, ...contextFindings(context))
  return context
}

/** What one pack says about a task, before any budget. */
export function askPack(
  machine: Machine,
  { pack, admission }: { pack: TrustedPack; admission: Admission },
  { task, cite = false, deep = false, now }: Pick<ResolveRequest, 'cite' | 'deep' | 'now'> & { task: Task },
  hits: readonly SectionHit[],
  sections: PackSections,
): PackResolution {
  const resolution = resolvePack(pack.manifest, new PackFolder(machine, pack, pack.trust), {
    task,
    wantsCitations: cite,
    isDeep: deep,
    isDisputed: admission.isDisputed,
    today: (now ?? machine.now()).toISOString().slice(0, 10),
    hits: hits.filter(({ root }) => root === pack.root),
    rarity: sections.rarity,
  })
  return { ...resolution, warnings: [...resolution.warnings, ...sections.warningsOf(pack.root)] }
}

type Asked = Omit<ActivePack, 'activation' | 'showsGaps' | 'presented' | 'isRepeated'> & { admission: Admission }

/**
 * Named packs share the budget. Packs that Loadout chose take what they need, the likeliest first. Text that the
 * session already has (`known`) costs nothing: only its name is shown.
 */
function presentAll(
  asked: readonly Asked[],
  budget: number,
  { isExplicit, isEach, known }: { isExplicit: boolean; isEach: boolean; known: readonly string[] },
): ActivePack[] {
  const isRepeated = ({ wrapper }: PresentedPack) => wrapper !== undefined && known.includes(sha256(wrapper))
  const present = ({ pack, admission, resolution }: Asked, most: number) => {
    const warnings = settleWarnings([...pack.warnings, ...admission.warnings, ...resolution.warnings])
    return presentPack(pack, { ...resolution, warnings }, most)
  }
  const isShared = isExplicit && asked.length > 1
  const needs = isShared
    ? asked.map((each) => present(each, budget)).map((each) => (isRepeated(each) ? 0 : each.tokens))
    : []
  const shares = shareBudget(needs, budget)
  let left = budget
  const active = asked.map((each, order) => {
    const share = isShared && needs[order] !== 0 ? (shares[order] ?? 0) : left
    const { admission, ...rest } = each
    const presented = present(each, isEach ? budget : share)
    const isKnown = isRepeated(presented)
    if (!isKnown) left -= presented.tokens
    const { name, mode } = each.pack.manifest
    const activation = isExplicit ? ('explicit' as const) : ('implicit' as const)
    const { showsGaps } = admission
    return { name, mode, order, active: { ...rest, activation, showsGaps, presented, isRepeated: isKnown } }
  })
  return orderWrappers(active).map((each) => each.active)
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
