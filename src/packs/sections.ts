import { type CacheKey, stampAt, untilSettled } from '../machine/cache.ts'
import { placeOf } from '../machine/folder-identity.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { openSegment, openStored, type Segment, segmentKey } from '../machine/ranking.ts'
import type { Approval } from '../machine/rules/approval.ts'
import { type Ranker, termHash } from '../search/ranker.ts'
import { shareOf, type Task } from '../search/task.ts'
import type { Finding } from '../text/trouble.ts'
import { getOwn, quickDigest } from '../text/values.ts'
import { entryId } from '../usage/rules/entry-id.ts'
import { Packs, pinPack } from './catalog.ts'
import { keepApproved, PackFolder } from './disk/pack-folder.ts'
import { admit, type TrustedPack } from './rules/gates/trust.ts'
import { PACK_FILE, type PackWarning, shownText } from './rules/pack.ts'
import {
  DIRECTORY_PAGE,
  type FileLabels,
  labelsOf,
  mergeAlike,
  sectionDocuments,
  sectionFiles,
} from './rules/resolve/sections.ts'
import { joinParts, type PackSections, rankedTogether, SECTION_RANKING } from './stored-sections.ts'

/** Whether the text of a pack may be searched. Never for personas; packs of an unknown type must be named. */
export function isReadable(pack: TrustedPack): boolean {
  return pack.manifest.mode !== 'persona' && admit(pack, { isConfirmed: true }).verdict === 'admitted'
}

/** A pack with more files than this is indexed in parts: after an edit only its part is built again. */
const FILES_OF_ONE = 1024

/** A section of a pack that may be read. */
export interface SectionFound {
  /** The id for `loadout lookup`, with lines. */
  id: string
  pack: string
  path: string
  from: number
  to: number
  /** The headings above it, or its path. */
  title: string
  /** 0 to 1: the share of the query's words that it contains. */
  confidence: number
}

/** A section with a smaller share of the query's words is about something else. */
const LEAST_SHARE = 0.6

/** Indexing this much takes about half a second. Larger packs wait for their first question. */
const MOST_BYTES = 1024 * 1024

/** The indexes of the sections of packs. */
export class SectionIndexes {
  private readonly machine: Machine

  constructor(machine: Machine) {
    this.machine = machine
  }

  open(packs: readonly TrustedPack[]): PackSections {
    const rankers = new Map<string, Ranker>()
    const warnings = new Map<string, PackWarning[]>()
    for (const pack of packs) {
      const parts = this.segmentsOf(pack).map((segment) => openSegment(this.machine, segment))
      rankers.set(pack.root, joinParts(parts.map(({ ranker }) => ranker)))
      // As `sectionDocuments` reported them.
      warnings.set(pack.root, mergeAlike(parts.flatMap(({ findings }) => findings as PackWarning[])))
    }
    return rankedTogether(rankers, warnings)
  }

  /** Where the sections of each pack are stored, as long as the pack does not change. May build small missing indexes. */
  stored(packs: readonly TrustedPack[], isBuilding: boolean): CacheKey[][] {
    let left = MOST_BYTES
    return packs.map((pack) =>
      this.segmentsOf(pack).map((segment) => {
        const key = segmentKey(this.machine, segment)
        if (isBuilding && openStored(this.machine, key, { options: SECTION_RANKING }) === undefined) {
          const bytes = segment.paths.reduce((sum, path) => sum + (stampAt(path)?.[1] ?? 0), 0)
          if (bytes <= left) openSegment(this.machine, segment)
          left -= Math.min(left, bytes)
        }
        return key
      }),
    )
  }

  /** Builds the index of a readable pack in advance: hooks, which cannot wait, only read stored ones. */
  async build(pack: TrustedPack): Promise<void> {
    if (!isReadable(pack)) return
    const segments = this.segmentsOf(pack)
    await untilSettled(
      this.machine,
      segments.flatMap(({ paths }) => paths),
    )
    for (const segment of segments) openSegment(this.machine, segment)
  }

  /** Searches the sections of approved packs, best first. Skips the built-in pack about Loadout. */
  search(packs: readonly TrustedPack[], task: Task, limit: number): SectionFound[] {
    const { words } = task
    if (words.size === 0) return []
    const readable = packs.filter((pack) => pack.scope !== 'built-in' && isReadable(pack))
    const names = new Map(readable.map(({ root, manifest }) => [root, manifest.name]))
    const hits = this.open(readable).rank(task)
    const counts = new Map<string, number>()
    return hits
      .flatMap(({ root, path, from, to, terms, title }): SectionFound[] => {
        const confidence = shareOf(words, new Set(terms.filter((term) => words.has(term))))
        const count = counts.get(root) ?? 0
        if (from === 0 || confidence < LEAST_SHARE || count === 3) return []
        counts.set(root, count + 1)
        const pack = names.get(root) ?? ''
        const id = `${entryId('pack', pack, path)}#L${from}-L${to}`
        return [{ id, pack, path, from, to, title: shownText(title || path, 160), confidence }]
      })
      .slice(0, limit)
  }

  /** Each pack has an index of its own, whose parts are built again when one of their files or the approval changes. */
  private segmentsOf(pack: TrustedPack): Segment[] {
    const { files: approved, kept } = pack.trust
    const files = new PackFolder(this.machine, pack, pack.trust)
    // Every part has words of these.
    const shared = [PACK_FILE, DIRECTORY_PAGE, ...files.list('indexes')]
    const records = ['runs', 'answers', 'ontology'].flatMap((folder) => files.list(folder))
    const content = sectionFiles(files)
    let count = 1
    while (content.length > count * FILES_OF_ONE) count *= 2
    const parts = Array.from({ length: count }, (): string[] => [])
    for (const path of content) parts[count === 1 ? 0 : termHash(path) % count]!.push(path)
    let said: FileLabels | undefined
    return parts.map((paths, at) => {
      const isFirst = at === 0
      const names = [...shared, ...(isFirst ? records : []), ...paths]
      return {
        kind: 'pack-sections',
        name: isFirst ? [pack.root] : [pack.root, String(at)],
        // What was approved does not change with its folder.
        paths: kept === undefined ? names.map((path) => files.fullPath(path)) : [],
        state: quickDigest(JSON.stringify([count, approved && names.map((name) => getOwn(approved, name))])),
        options: SECTION_RANKING,
        readDocuments: (findings: Finding[]) => {
          said ??= labelsOf(files)
          const { documents, warnings } = sectionDocuments(files, pack, { paths, isFirst, said })
          findings.push(...warnings)
          return documents
        },
      }
    })
  }
}

/** Records a person's yes to a pack: to its files as they are now, or also to later changes. Builds its index. */
export async function approvePack(
  machine: Machine,
  pack: TrustedPack,
  { project, follow = false }: { project?: string | Project; follow?: boolean },
): Promise<Approval> {
  const { root, manifest } = pack
  const about = { kind: 'pack', root, name: manifest.name, place: placeOf(root), decision: 'approved' } as const
  const pinned = follow ? { follow: true as const } : pinPack(pack)
  const approval = await machine.approvals.record({ ...about, ...pinned })
  keepApproved(machine, pack, approval.files)
  const { all } = new Packs(machine, { project, packs: [root] }).catalog
  const indexes = new SectionIndexes(machine)
  for (const each of all) if (each.root === root) await indexes.build(each)
  return approval
}
