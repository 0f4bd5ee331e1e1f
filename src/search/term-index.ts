/** What the ranker stores of a document besides its terms. */
export interface DocumentRecord {
  readonly id: string
  readonly name: string
  readonly tokens: number
  /** Terms of each prompt that the document must not match. */
  readonly negatives: readonly (readonly string[])[]
  readonly redirects: readonly RedirectRecord[]
  /** The value that the caller gets back with a hit. */
  readonly kept?: unknown
}

interface RedirectRecord {
  readonly to: string
  readonly isDenied: boolean
}

interface Placed extends DocumentRecord {
  readonly slot: number
}

const NOWHERE = -1

/** The slots of a saved library; each record is read on demand. */
export interface StoredSlots {
  readonly size: number
  readonly targets: ArrayLike<number>
  /** Slots of topics, and slots of documents that have negatives. */
  readonly given: ArrayLike<number>
  readonly excluding: ArrayLike<number>
  recordAt(slot: number): DocumentRecord
  slotOf(id: string): number | undefined
  /** In the order of their slots. */
  records(): readonly DocumentRecord[]
}

/**
 * A document takes one slot for its own words and one for each topic it redirects. `targets` maps a slot to the
 * document whose score it adds to: its own document, the document a topic is redirected to, or none. Removing a
 * document or learning a new name therefore changes only targets; posting lists stay. The first change reads a stored
 * table whole.
 */
export class SlotTable {
  private stored: StoredSlots | undefined
  private excluding: ReadonlySet<number> | undefined
  private readonly ownTargets: number[] = []
  private readonly bySlot: (Placed | undefined)[] = []
  private readonly byId = new Map<string, Placed>()
  private readonly byName = new Map<string, Placed[]>()
  private readonly byRedirect = new Map<string, Placed[]>()

  constructor(stored?: StoredSlots) {
    this.stored = stored
  }

  get targets(): ArrayLike<number> {
    return this.stored?.targets ?? this.ownTargets
  }

  get size(): number {
    return this.stored?.size ?? this.byId.size
  }

  slotOf(id: string): number | undefined {
    return this.stored === undefined ? this.byId.get(id)?.slot : this.stored.slotOf(id)
  }

  recordAt(slot: number): DocumentRecord {
    return this.stored?.recordAt(slot) ?? this.bySlot[slot]!
  }

  /** Whether the id of one document sorts before another; stored documents have this order. */
  isBefore(slot: number, other: number): boolean {
    return this.stored === undefined ? this.bySlot[slot]!.id < this.bySlot[other]!.id : slot < other
  }

  hasNegatives(slot: number): boolean {
    if (this.stored === undefined) return this.bySlot[slot]!.negatives.length > 0
    this.excluding ??= new Set(Array.from(this.stored.excluding))
    return this.excluding.has(slot)
  }

  /** Live documents by id, in code unit order. */
  records(): readonly (DocumentRecord & { readonly slot: number })[] {
    this.readWhole()
    return [...this.byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** Returns the slot of the document; the slots of its redirects follow in order. */
  add(record: DocumentRecord): number {
    this.readWhole()
    const slot = this.ownTargets.length
    const placed = { ...record, slot }
    this.ownTargets.push(slot)
    this.bySlot[slot] = placed
    this.byId.set(record.id, placed)
    join(this.byName, nameKey(record), placed)
    for (const { to } of record.redirects) {
      this.ownTargets.push(NOWHERE)
      join(this.byRedirect, to, placed)
    }
    this.aimRedirects(placed)
    this.aimRedirectsTo(nameKey(record))
    return slot
  }

  remove(id: string): boolean {
    this.readWhole()
    const placed = this.byId.get(id)
    if (placed === undefined) return false
    this.byId.delete(id)
    this.bySlot[placed.slot] = undefined
    leave(this.byName, nameKey(placed), placed)
    for (const { to } of placed.redirects) leave(this.byRedirect, to, placed)
    this.ownTargets.fill(NOWHERE, placed.slot, placed.slot + 1 + placed.redirects.length)
    this.aimRedirectsTo(nameKey(placed))
    return true
  }

  /** The topic slots that count for this document: redirected to it by others, or kept by it. */
  inbound(slot: number): number[] {
    if (this.stored !== undefined) {
      const { given, targets } = this.stored
      return Array.from(given).filter((topic) => targets[topic] === slot)
    }
    const record = this.bySlot[slot]!
    const slots: number[] = []
    this.pushInbound(slots, record, slot)
    for (const giver of this.byRedirect.get(nameKey(record)) ?? []) {
      if (giver !== record) this.pushInbound(slots, giver, slot)
    }
    return slots
  }

  private readWhole(): void {
    const { stored } = this
    if (stored === undefined) return
    const records = stored.records()
    this.stored = undefined
    for (const record of records) this.add(record)
  }

  private pushInbound(slots: number[], giver: Placed, slot: number): void {
    for (let i = 1; i <= giver.redirects.length; i++) {
      if (this.ownTargets[giver.slot + i] === slot) slots.push(giver.slot + i)
    }
  }

  private aimRedirectsTo(name: string): void {
    for (const giver of this.byRedirect.get(name) ?? []) this.aimRedirects(giver)
  }

  // A topic redirected to a missing document stays with its author's document, unless that refuses it.
  private aimRedirects(giver: Placed): void {
    giver.redirects.forEach(({ to, isDenied }, i) => {
      const fallback = isDenied ? NOWHERE : giver.slot
      this.ownTargets[giver.slot + 1 + i] = this.receiver(giver, to)?.slot ?? fallback
    })
  }

  // Names may repeat: prefer the one in the same folder as the redirecting document, else the first by id.
  private receiver(giver: Placed, name: string): Placed | undefined {
    let best: Placed | undefined
    for (const candidate of this.byName.get(name) ?? []) {
      if (candidate === giver) continue
      if (best === undefined || compareReceivers(candidate, best, folderOf(giver.id)) < 0) best = candidate
    }
    return best
  }
}

function nameKey(record: DocumentRecord): string {
  return record.name.toLowerCase()
}

function folderOf(id: string): string {
  return id.slice(0, id.lastIndexOf('/') + 1)
}

function compareReceivers(a: Placed, b: Placed, folder: string): number {
  const isNearA = folderOf(a.id) === folder
  const isNearB = folderOf(b.id) === folder
  if (isNearA !== isNearB) return isNearA ? -1 : 1
  return a.id < b.id ? -1 : 1
}

function join<T>(groups: Map<string, T[]>, key: string, member: T): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [member])
  else if (group[group.length - 1] !== member) group.push(member)
}

function leave<T>(groups: Map<string, T[]>, key: string, member: T): void {
  const group = groups.get(key)
  const at = group?.indexOf(member) ?? -1
  if (group === undefined || at < 0) return
  group.splice(at, 1)
  if (group.length === 0) groups.delete(key)
}

// One posting is one integer of 29 bits: impact without the body (12), impact with it (12), best field (4), in name
// (1). Impacts are saturated term frequencies in [0, 1), so they depend on their document alone and never need an
// update.

const SCALE = 4095

export function pack(strong: number, full: number, field: number, isName: boolean): number {
  return (Math.round(strong * SCALE) << 17) | (Math.round(full * SCALE) << 5) | (field << 1) | (isName ? 1 : 0)
}

export function strongImpact(packed: number): number {
  return (packed >>> 17) / SCALE
}

export function fullImpact(packed: number): number {
  return ((packed >>> 5) & SCALE) / SCALE
}

export function fieldOf(packed: number): number {
  return (packed >>> 1) & 15
}

export function isInName(packed: number): boolean {
  return (packed & 1) === 1
}

/**
 * 16 bits of a posting whose field is one of the first eight: impact with the body (12), best field (3), in name (1).
 */
export function shortPosting(packed: number): number {
  return (((packed >>> 5) & SCALE) << 4) | (packed & 15)
}

/** Expands a short posting: the impact without the body equals the impact with it. */
export function longPosting(short: number): number {
  const impact = short >>> 4
  return (impact << 17) | (impact << 5) | (short & 15)
}

/** Slot, packed posting, slot, packed posting …, sorted by slot. */
export type PostingList = ArrayLike<number>

/** Terms compiled in one go or loaded: lists are views on one array. */
export interface CompiledTerms {
  readonly terms: () => Iterable<string>
  readonly find: (term: string) => PostingList | undefined
}

/** Term → posting list. Slots only grow, so every list is sorted by slot. */
export class TermIndex {
  // Lists that changed after compiling.
  private readonly changed = new Map<string, number[]>()

  private readonly compiled: CompiledTerms

  constructor(compiled: CompiledTerms) {
    this.compiled = compiled
  }

  find(term: string): PostingList | undefined {
    return this.changed.get(term) ?? this.compiled.find(term)
  }

  holds(term: string, slot: number): boolean {
    const list = this.find(term)
    return list !== undefined && postingAt(list, slot) !== undefined
  }

  append(term: string, slot: number, packed: number): void {
    let list = this.changed.get(term)
    if (list === undefined) {
      list = Array.from(this.compiled.find(term) ?? [])
      this.changed.set(term, list)
    }
    list.push(slot, packed)
  }

  /** Every term once, in code unit order. */
  terms(): string[] {
    const all = new Set(this.compiled.terms())
    for (const term of this.changed.keys()) all.add(term)
    return [...all].sort()
  }
}

/** The packed posting of a slot, or undefined. */
export function postingAt(list: PostingList, slot: number): number | undefined {
  let low = 0
  let high = (list.length >>> 1) - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = list[2 * middle]!
    if (found === slot) return list[2 * middle + 1]
    if (found < slot) low = middle + 1
    else high = middle - 1
  }
  return undefined
}
