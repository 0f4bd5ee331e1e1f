import { join } from 'node:path'
import { type Examples, openExamples } from '../examples/examples.ts'
import { isPlace } from '../machine/folder-identity.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { packageFolder } from '../machine/package-folder.ts'
import { ANY_NAME, type Approval, changesSince, type FileDigests, type Verdict } from '../machine/rules/approval.ts'
import { answerFacts } from '../machine/rules/gate.ts'
import type { RankDocument } from '../search/document.ts'
import { asFinding, type Finding, LoadoutError } from '../text/trouble.ts'
import { type Discovery as Discovered, discoverPacks } from './disk/discover.ts'
import { type FetchedSource, fetchSource } from './disk/organization.ts'
import { digestKnownTree, digestTree, keptSince } from './disk/pack-folder.ts'
import { findPackRoot, readPackAt, readPackManifest } from './disk/pack-head.ts'
import {
  buildCatalog,
  type Catalog,
  choosePack,
  isPackPath,
  type PackChoice,
  packDocument,
} from './rules/gates/catalog.ts'
import { decideTrust, type TrustedPack } from './rules/gates/trust.ts'
import { type KnowledgePack, PACK_FILE, SCOPES } from './rules/pack.ts'
import { type PackConfig, parsePackConfig } from './rules/pack-config.ts'

export { keepApproved, PackFolder } from './disk/pack-folder.ts'

export interface CatalogRequest {
  /** The project folder. Default: the project around the working folder. */
  project?: string | Project
  /** Packs that the user named. A pack named by its path is included wherever it is. */
  packs?: readonly string[]
}

/** The settings for packs in `config.json`. A bad value breaks only commands about packs. */
export function readPackConfig(machine: Machine): PackConfig {
  return parsePackConfig(machine.config.read(), machine.config.path)
}

/** The packs that can be seen from a project, and whether each may be used. Reads frontmatter only. */
export class Packs {
  readonly machine: Machine
  readonly catalog: Catalog
  readonly discovery: Discovery
  readonly approvals: readonly Approval[]
  readonly findings: Finding[]
  /** Example prompts for packs, committed in the project. */
  readonly examples: Examples

  constructor(machine: Machine, request: CatalogRequest) {
    this.machine = machine
    const config = readPackConfig(machine)
    const found = discoverPacks(machine, { project: request.project, config, packageFolder: packageFolder() })
    this.discovery = { ...found, config }
    const { approvals, isKnown, findings } = machine.approvals.read()
    // If approvals cannot be read, denials are unknown: no place is trusted.
    const policy = isKnown ? this.discovery.config : { approvalFor: SCOPES, explicitPathIsApproval: false }
    const answers = new Map(
      approvals.filter(({ kind }) => kind === 'pack').map((approval) => [approval.root, approval]),
    )
    const packs = [...explicitPacks(machine, request.packs ?? [], this.discovery.packs), ...this.discovery.packs]
    const team = teamSays(machine)
    const judged = packs.map((pack): TrustedPack => {
      const trust = decideTrust(pack, {
        approval: answers.get(pack.root),
        policy,
        verdict: team.about(pack),
        isSamePlace: ({ place }) => place === undefined || isPlace(machine, pack.root, place),
        readFiles: () => this.filesOf(pack),
        keptSince: (approved, current) => keptSince(machine, pack.root, approved, current),
      })
      const { kept, files } = trust
      const guide = kept && files?.[PACK_FILE]
      const approved = guide ? readPackManifest(pack.root, join(kept, guide)).manifest : undefined
      return { ...pack, manifest: approved ?? pack.manifest, trust }
    })
    this.approvals = approvals
    this.catalog = buildCatalog(judged)
    this.examples = openExamples({ project: machine.openProject(request.project).root })
    this.findings = [...this.discovery.findings, ...findings, ...team.findings, ...this.catalog.findings]
  }

  /** The winners of their names. */
  get all(): TrustedPack[] {
    return this.catalog.entries.map(({ pack }) => pack)
  }

  /** The pack that a user named. */
  get(typed: string): TrustedPack {
    return choosePack(this.catalog, readChoice(this.machine, typed))
  }

  /** Files that cannot be read count as changed since the approval. */
  private filesOf(pack: KnowledgePack): FileDigests | undefined {
    try {
      return digestKnownTree(this.machine, pack)
    } catch (error) {
      if (error instanceof LoadoutError) return undefined
      throw error
    }
  }
}

/** An approval of exactly these files under this name, whatever their folder. */
export function answerElsewhere(
  approvals: readonly Approval[],
  name: string,
  files: FileDigests,
): Approval | undefined {
  const found = approvals.find((each) => {
    const isSame =
      each.kind === 'pack' && !answerFacts(each).unapproved && each.name === name && each.files !== undefined
    return isSame && changesSince(each.files ?? {}, files).length === 0
  })
  return found && { ...found, place: undefined }
}

/** Tells a pack's name from a path. */
export function readChoice(machine: Machine, typed: string): PackChoice {
  if (!isPackPath(typed)) return { name: typed }
  const place = machine.realFolder(typed)
  return { asked: typed, root: findPackRoot(place) ?? place }
}

/** Packs that the user named by path and that discovery did not find. */
function explicitPacks(machine: Machine, typed: readonly string[], known: readonly KnowledgePack[]): KnowledgePack[] {
  return typed.filter(isPackPath).flatMap((path) => {
    const root = findPackRoot(machine.realFolder(path))
    if (root === undefined || known.some((pack) => pack.root === root)) return []
    const { manifest, ...place } = readPackAt(machine.home, root)
    return manifest === undefined ? [] : [{ manifest, scope: 'explicit', ...place, depth: 0 }]
  })
}

/** The last answer of the team's catalog. If its record cannot be read, every pack is held back. */
function teamSays(machine: Machine): { about(pack: KnowledgePack): Verdict | undefined; findings: Finding[] } {
  try {
    const packs = machine.verdicts.read().filter(({ kind }) => kind === 'pack')
    const verdicts = new Map(packs.map((verdict) => [verdict.name, verdict]))
    return { about: ({ manifest }) => verdicts.get(manifest.name) ?? verdicts.get(ANY_NAME), findings: [] }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const held = { state: 'held', version: '', why: "the record of the team's catalog cannot be read" } as const
    return { about: ({ manifest: { name } }) => ({ kind: 'pack', name, ...held }), findings: [asFinding(error)] }
  }
}

/** A pack as the ranker reads it, with its example prompts. A project has examples only for its own packs. */
export function taughtPack(examples: Examples, { manifest, scope }: TrustedPack): RankDocument {
  return examples.into('pack', packDocument(manifest), scope === 'workspace')
}

/** The pack in a folder as the ranker reads it, from its metadata. Undefined if there is no readable pack. */
export function packDocumentIn(folder: string): RankDocument | undefined {
  const { manifest } = readPackManifest(folder)
  return manifest && packDocument(manifest)
}

export interface Discovery extends Discovered {
  config: PackConfig
}

/** Digests of all files of a pack, for an approval that ends when one of them changes. */
export function pinPack(pack: TrustedPack): Pick<Approval, 'digest' | 'files'> {
  const files = digestTree(pack)
  const digest = files[PACK_FILE]
  return { digest, files }
}

export interface FetchRequest {
  onProgress?: (done: number, total: number, what: string) => void
  signal?: AbortSignal
}

export interface PackFetch {
  sources: (Omit<FetchedSource, 'error'> & { problem?: string })[]
}

/** Updates every git repository with packs of the organization. A failure does not stop the others. */
export async function fetchPacks(machine: Machine, request: FetchRequest): Promise<PackFetch> {
  const { onProgress, signal } = request
  const wanted = readPackConfig(machine).organization.filter((source) => source.kind === 'git')
  const sources: PackFetch['sources'] = []
  for (const [at, source] of wanted.entries()) {
    signal?.throwIfAborted()
    const { error, ...fetched } = await fetchSource(machine, source, signal === undefined ? {} : { signal })
    onProgress?.(at + 1, wanted.length, fetched.source)
    sources.push({ ...fetched, problem: error?.message })
    if (error === undefined) continue
    machine.report(asFinding(error, { severity: 'error', subject: fetched.source }))
  }
  return { sources }
}
