import type { Machine } from '../machine/machine.ts'
import { cutLine, findCut } from '../text/cap-content.ts'
import { shellWord } from '../text/printable.ts'
import { estimateTokens } from '../text/tokens.ts'
import type { Finding, Report } from '../text/trouble.ts'
import { recordUsage } from '../usage/record.ts'
import { type CatalogRequest, findPack, openCatalog } from './catalog.ts'
import { openPack } from './disk/pack-folder.ts'
import { withholdSecrets } from './rules/fence/content-guard.ts'
import { type Guide, type GuideResource, readGuide, wrapGuide } from './rules/fence/guide.ts'
import { type Admission, admissionError, admit } from './rules/gates/admission.ts'
import type { Catalog, Collision } from './rules/gates/catalog.ts'
import { type CatalogRow, catalogRow } from './rules/gates/listing.ts'
import type { TrustedPack } from './rules/gates/trust.ts'
import {
  LAYERS,
  layerOf,
  type PackFiles,
  type PackLayer,
  type PackWarning,
  settleWarnings,
  type Tier,
  toFinding,
} from './rules/pack.ts'

export interface PackView extends CatalogRow {
  license?: string
  maintainers: readonly string[]
  updated?: string
  primaryAnswers?: string
  /** What may be read; absent while the pack is closed. */
  tier?: Tier
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
export function showPack(machine: Machine, request: CatalogRequest & { pack: string }): Report<PackView> {
  const { catalog, findings } = openCatalog(machine, { ...request, packs: [request.pack] })
  const value = viewPack(catalog, findPack(machine, catalog, request.pack))
  return { value, findings: findings.filter(({ code }) => !code.startsWith('catalog.')) }
}

export function viewPack(catalog: Catalog, pack: TrustedPack): PackView {
  const { manifest, trust } = pack
  const { verdict, warnings } = admit(pack, { isExplicit: true, isConfirmed: false })
  const collision = catalog.collisions.find(({ name }) => name === manifest.name)
  const { license, updated, primaryAnswers, maintainers } = manifest
  return {
    ...catalogRow(pack),
    diagnostics: settleWarnings([...pack.warnings, ...warnings]),
    maintainers,
    ...(license === undefined ? {} : { license }),
    ...(updated === undefined ? {} : { updated }),
    ...(primaryAnswers === undefined ? {} : { primaryAnswers }),
    ...(trust.tier === undefined ? {} : { tier: trust.tier }),
    ...(trust.approvalId === undefined ? {} : { approvalId: trust.approvalId }),
    admission: verdict,
    next: nextStep(pack, verdict),
    ...(trust.isOpen ? { files: countFiles(pack) } : {}),
    ...(collision === undefined ? {} : { collision }),
  }
}

/** The fenced guide of an admitted pack, with the names of its other files. Logged as used. */
export function openGuide(
  machine: Machine,
  request: CatalogRequest & {
    pack: string
    isConfirmed?: boolean | undefined
    isRecorded?: boolean | undefined
    /** The maximum length of the text, including the fence. */
    maxCharacters?: number | undefined
  },
): Report<{ name: string; guide: string }> {
  const { catalog } = openCatalog(machine, { ...request, packs: [request.pack] })
  const pack = findPack(machine, catalog, request.pack)
  const { body, wrap } = prepareGuide(openAdmitted(pack, request.isConfirmed ?? false))
  const cut = findCut(body, request.maxCharacters ?? Infinity, (content) => wrap(content).text)
  const fenced = wrap(body.slice(0, cut?.characters))
  const text = `${fenced.text}${cut === undefined ? '' : cutLine(cut)}`
  const { name } = pack.manifest
  const entry = { id: name, kind: 'pack', trigger: 'guide', mode: 'manual', tokens: estimateTokens(text) } as const
  const recorded =
    request.isRecorded === false ? [] : recordUsage(machine, { task: `guide ${name}`, stage: 'used', entries: [entry] })
  return { value: { name, guide: text }, findings: [...fenced.findings, ...recorded] }
}

/** A pack that passed its gates and still matches its approval. */
export interface AdmittedPack {
  pack: TrustedPack
  files: PackFiles
  guide: Guide
  warnings: readonly PackWarning[]
}

/** Opens a pack that the caller named. Throws if it is closed; the error says what is missing. */
export function openAdmitted(pack: TrustedPack, isConfirmed: boolean): AdmittedPack {
  const { verdict, warnings } = admit(pack, { isExplicit: true, isConfirmed })
  if (verdict !== 'admitted') throw admissionError(pack, verdict)
  const files = openPack(pack, pack.trust.files)
  const guide = readGuide(files)
  if (guide === undefined) {
    throw admissionError(pack, 'approval-needed')
  }
  return { pack, files, guide, warnings: [...pack.warnings, ...warnings] }
}

/** A text that the caller may shorten before the fence is added. */
export interface Fenceable {
  body: string
  wrap(body: string): { text: string; findings: Finding[] }
}

/** Prepares the guide and withholds what looks like a secret. */
export function prepareGuide({ pack, files, guide, warnings }: AdmittedPack): Fenceable {
  const { name, status = 'unknown', profile, mode } = pack.manifest
  const { firstLine } = guide
  const resources = listResources(pack.trust.tier === 'guide' ? [] : files.list(''))
  const head = { name, status, trust: pack.trust.state, profile, mode, root: name, firstLine, resources }
  return {
    body: withholdSecrets(guide.body).text,
    wrap: (body) => {
      const wrapped = wrapGuide({ ...head, body })
      const told = settleWarnings([...warnings, ...guide.warnings, ...wrapped.warnings])
      return { text: wrapped.text, findings: told.map((warning) => toFinding(warning, name)) }
    },
  }
}

const MOST_RESOURCES = 200
/** The folders whose files can be read one by one, and what their files are for. */
export const RESOURCE_KINDS: Partial<Record<PackLayer, GuideResource['kind']>> = {
  compiled: 'runtime',
  documents: 'primary',
  wiki: 'primary',
  ontology: 'primary',
  answers: 'primary',
  sources: 'evidence',
}

function listResources(paths: readonly string[]): GuideResource[] {
  return paths
    .flatMap((path) => {
      const layer = layerOf(path)
      const kind = layer === undefined ? undefined : RESOURCE_KINDS[layer]
      return kind === undefined ? [] : [{ path, kind }]
    })
    .slice(0, MOST_RESOURCES)
}

/** The command that a user runs next to use the pack. */
export function nextStep({ manifest, root }: TrustedPack, verdict: Admission['verdict']): string {
  const word = shellWord(root)
  if (verdict === 'admitted') return `loadout packs resolve "<task>" --pack ${shellWord(manifest.name)}`
  if (verdict === 'confirmation-needed')
    return `loadout packs resolve "<task>" --pack ${shellWord(manifest.name)} --confirm ${shellWord(manifest.name)}`
  return verdict === 'approval-needed' ? `loadout approve ${word}` : `loadout explain pack:${word}`
}

function countFiles(pack: TrustedPack): { layer: PackLayer; count: number }[] {
  const files = openPack(pack)
  return LAYERS.map((layer) => ({ layer, count: files.list(layer).length })).filter(({ count }) => count > 0)
}
