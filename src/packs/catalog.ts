import { type Examples, openExamples } from '../examples/examples.ts'
import { readApprovals } from '../machine/approvals.ts'
import { configPath, readConfigJson } from '../machine/config-file.ts'
import { isPlace } from '../machine/folder-identity.ts'
import type { Machine } from '../machine/machine.ts'
import { openProject, type Project, realFolder } from '../machine/open-project.ts'
import { packageFolder } from '../machine/package-folder.ts'
import type { Approval, FileDigests } from '../machine/rules/approval.ts'
import type { Verdict } from '../machine/rules/verdict.ts'
import { readVerdicts } from '../machine/verdicts.ts'
import type { RankDocument } from '../search/document.ts'
import { asFinding, type Finding, LoadoutError } from '../text/trouble.ts'
import { type Discovery as Discovered, discoverPacks } from './disk/discover.ts'
import { digestKnownTree, digestTree } from './disk/pack-digest.ts'
import { readPackManifest } from './disk/pack-head.ts'
import { findPackRoot, readPackAt } from './disk/pack-place.ts'
import {
  buildCatalog,
  type Catalog,
  choosePack,
  isPackPath,
  type PackChoice,
  packDocument,
} from './rules/gates/catalog.ts'
import {
  needsApproval,
  obeyVerdict,
  type PackState,
  TRUST_NO_PLACE,
  type Trust,
  type TrustedPack,
  type TrustPolicy,
  trustOf,
} from './rules/gates/trust.ts'
import { type KnowledgePack, PACK_FILE } from './rules/pack.ts'
import { type PackConfig, parsePackConfig } from './rules/pack-config.ts'

export interface CatalogRequest {
  /** The workspace; the working folder's when it is absent. */
  project?: string | Project | undefined
  /** Packs that were named. Those named by a path are there too, wherever they lie. */
  packs?: readonly string[] | undefined
}

/** What the machine's configuration says about packs. A bad value is an error for packs alone. */
export function readPackConfig(machine: Machine): PackConfig {
  return parsePackConfig(readConfigJson(machine), configPath(machine))
}

export interface OpenedCatalog {
  catalog: Catalog
  discovery: Discovery
  approvals: readonly Approval[]
  findings: Finding[]
  /** What is taught about packs, committed in the project. */
  examples: Examples
}

/** Discovers, checks and decides: the start of everything about packs. Reads no body of an undecided pack. */
export function openCatalog(machine: Machine, request: CatalogRequest): OpenedCatalog {
  const discovery = discover(machine, request)
  const { approvals, isKnown, findings } = readApprovals(machine)
  const policy = isKnown ? discovery.config : TRUST_NO_PLACE
  const answers = new Map(approvals.filter(({ kind }) => kind === 'pack').map((approval) => [approval.root, approval]))
  const packs = [...explicitPacks(machine, request.packs ?? [], discovery.packs), ...discovery.packs]
  const team = teamSays(machine)
  const judged = packs.map((pack): TrustedPack => {
    const trust = judge(machine, pack, answers.get(pack.root), policy)
    return { ...pack, trust: obeyVerdict(trust, team.about(pack), () => filesOf(machine, pack)) }
  })
  const catalog = buildCatalog(judged)
  const examples = openExamples(machine, { project: openProject(machine, request.project).root }, 'committed')
  return {
    catalog,
    discovery,
    approvals,
    examples,
    findings: [...discovery.findings, ...findings, ...team.findings, ...catalog.findings],
  }
}

/** What was named by its path and lies in none of the places that are looked through. */
function explicitPacks(machine: Machine, typed: readonly string[], known: readonly KnowledgePack[]): KnowledgePack[] {
  return typed.filter(isPackPath).flatMap((path) => {
    const root = findPackRoot(realFolder(machine, path))
    if (root === undefined || known.some((pack) => pack.root === root)) return []
    const { manifest, ...place } = readPackAt(machine.home, root)
    return manifest === undefined ? [] : [{ manifest, scope: 'explicit', ...place, depth: 0 }]
  })
}

function judge(machine: Machine, pack: KnowledgePack, approval: Approval | undefined, policy: TrustPolicy): Trust {
  const isCompared = approval?.decision === 'approved' && needsApproval(pack.scope, policy)
  const current = isCompared ? stateOf(machine, pack, approval) : undefined
  return trustOf(pack, approval, current, policy)
}

/** What cannot be read is not what was approved. */
function stateOf(machine: Machine, pack: KnowledgePack, { place, follow }: Approval): PackState {
  const isSamePlace = place === undefined || isPlace(machine, pack.root, place)
  return { isSamePlace, files: follow === true ? undefined : filesOf(machine, pack) }
}

function filesOf(machine: Machine, pack: KnowledgePack): FileDigests | undefined {
  try {
    return digestKnownTree(machine, pack)
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}

/** The last answer of the team's catalog. While its record cannot be read, it is unknown what the catalog holds back. */
function teamSays(machine: Machine): { about(pack: KnowledgePack): Verdict | undefined; findings: Finding[] } {
  try {
    const verdicts = new Map(readVerdicts(machine).map((verdict) => [verdict.name, verdict]))
    return { about: ({ manifest }) => verdicts.get(manifest.name), findings: [] }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const held = { state: 'held', version: '', why: 'what the catalog said cannot be read' } as const
    return { about: ({ manifest: { name } }) => ({ kind: 'pack', name, ...held }), findings: [asFinding(error)] }
  }
}

/** What the ranker reads of a pack, with what is taught about it. A project teaches only about its own packs. */
export function taughtPack(examples: Examples, { manifest, scope }: TrustedPack): RankDocument {
  return examples.into('pack', packDocument(manifest), scope === 'workspace')
}

/** The pack in a folder for the ranker, by its metadata alone; undefined where there is none that can be read. */
export function packDocumentIn(folder: string): RankDocument | undefined {
  const { manifest } = readPackManifest(folder)
  return manifest && packDocument(manifest)
}

/** What a person typed after a command. */
export function readChoice(machine: Machine, typed: string): PackChoice {
  if (!isPackPath(typed)) return { name: typed }
  const place = realFolder(machine, typed)
  return { asked: typed, root: findPackRoot(place) ?? place }
}

export function findPack(machine: Machine, catalog: Catalog, typed: string): TrustedPack {
  return choosePack(catalog, readChoice(machine, typed))
}

/** What was found, and the configuration it was looked for with. */
export interface Discovery extends Discovered {
  config: PackConfig
}

export interface DiscoverRequest {
  /** The folder of a project, if it is not the one around the working folder. */
  project?: string | Project | undefined
}

/** Every pack that this machine can see from here, as its configuration says. */
export function discover(machine: Machine, { project }: DiscoverRequest): Discovery {
  const config = readPackConfig(machine)
  return { ...discoverPacks(machine, { project, config, packageFolder: packageFolder() }), config }
}

/** Every file of a pack as it is now, for an approval that holds until one of them changes. */
export function pinPack(pack: TrustedPack): Pick<Approval, 'digest' | 'files'> {
  const files = digestTree(pack)
  const digest = files[PACK_FILE]
  return { ...(digest !== undefined && { digest }), files }
}
