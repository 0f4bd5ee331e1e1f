import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { exists, isFile, readJson, readText } from '../../machine/files.ts'
import { readInside, readJsonInside, readTextInside } from '../../machine/inside.ts'
import type { Machine } from '../../machine/machine.ts'
import { importedDocument, libraryDocument, readDocument } from '../../machine/skill-document.ts'
import { Walk, type WalkEntry, type WalkFolder } from '../../machine/walk.ts'
import { DOCUMENT_FILE, firstHeading, firstParagraph, STANDARD_KEYS, slug } from '../../text/skill-document.ts'
import { asFinding, type Finding, failWith, LoadoutError, retell, unlessTrouble } from '../../text/trouble.ts'
import { compareText, getOwn, isRecord, setOwn } from '../../text/values.ts'
import type { ForeignSkill } from '../rules/candidates.ts'
import { type Marketplace, parseMarketplace, parsePlugin, pluginFor } from '../rules/plugins.ts'
import { isPointer, LFS_PROBLEM, type ReviewFile } from '../rules/review/sheet.ts'
import {
  EVERY_AGENT,
  formatSkill,
  isForEveryAgent,
  metadataFor,
  nameProblem,
  parseSkill,
  SKILL_FILE,
  type Skill,
  type SkillSource,
  supports,
} from '../rules/skill.ts'
import {
  copyFile,
  type HashRow,
  hashContent,
  hashFile,
  hashRows,
  listTree,
  treeProblem,
  writeTreeFile,
} from './tree.ts'

export interface ForeignOptions {
  /** The agents that read the folder it is in. */
  agents: readonly string[]
  /** The agents that the user named with `--targets`. */
  targets?: readonly string[]
  /** The agents that are enabled here. A skill that names none needs one. */
  enabled?: readonly string[]
}

/** Reads any skill folder, with or without skill.json. Throws for a skill that cannot be imported. */
export function readForeignSkill(path: string, options: ForeignOptions): ForeignSkill {
  const { agents, targets = agents, enabled } = options
  const { files } = listTree(path)
  const problem = treeProblem(files)
  if (problem !== undefined) throw retell(problem, { message: `${path} cannot be imported: ${problem.message}` })
  if (!files.some((file) => file.path === DOCUMENT_FILE))
    throw refused(path, `${DOCUMENT_FILE} is missing`, 'repair it, then import it')
  // The same limit as for installing.
  const text = readText(join(path, DOCUMENT_FILE), 16 * 1024 * 1024)
  if (isPointer(text)) {
    const hint = 'clone the source, run git lfs pull, and import that folder'
    throw refused(path, `${DOCUMENT_FILE} is only a pointer of Git LFS`, hint)
  }
  const document = importedDocument(text)
  if (document.problem !== undefined) {
    throw refused(path, `${DOCUMENT_FILE}, ${document.problem}`, 'repair its frontmatter: what it says would be lost')
  }
  const json = files.some((file) => file.path === SKILL_FILE) ? readJsonInside(path, SKILL_FILE) : {}
  const isDeclared = !isRecord(json) || json.targets !== undefined
  if (!isDeclared && targets.length === 0 && enabled?.length === 0) {
    const hint = 'loadout agents enable claude, or --agents claude'
    throw refused(path, 'it names no agents, and none is enabled here', hint)
  }
  const { skill, badName } = complete(path, json, document, targets)
  // Copies frontmatter into the skill that skill.json lacks: keys of the public format for all agents, other
  // keys for the agents that read the folder.
  const finders = agents.filter((agent) => supports(skill, agent))
  const holders = isForEveryAgent(skill) ? [EVERY_AGENT, ...finders] : skill.targets
  for (const holder of holders) {
    const isFinder = finders.length === 0 || finders.includes(holder)
    const own: Record<string, unknown> = { ...(getOwn(skill.metadata, holder) ?? {}) }
    const known = metadataFor(skill, holder)
    for (const [key, value] of Object.entries(document.metadata)) {
      if (!Object.hasOwn(known, key) && (isFinder || STANDARD_KEYS.includes(key))) setOwn(own, key, value)
    }
    if (Object.keys(own).length > 0) skill.metadata[holder] = own
  }
  const rows = files.map((file): HashRow => [file.path, file.isExecutable, hashFile(path, file)])
  return {
    path,
    agents,
    skill,
    isDeclared,
    document: libraryDocument(document.body),
    files: new Map(
      rows
        .filter(([name]) => name !== DOCUMENT_FILE && name !== SKILL_FILE)
        .map(([name, isExecutable, hash]) => [name, `${isExecutable ? 'x' : '-'} ${hash}`]),
    ),
    treeHash: hashRows(rows),
    badName,
  }
}

/**
 * Takes fields from skill.json, which may be missing or from another program; the rest from the frontmatter, else from
 * the first heading and paragraph. An invalid name is replaced by the name of the folder.
 */
function complete(
  path: string,
  json: unknown,
  document: ReturnType<typeof importedDocument>,
  targets: readonly string[],
): { skill: Skill; badName?: string } {
  if (!isRecord(json)) throw refused(path, `${SKILL_FILE} must contain an object`, `repair its ${SKILL_FILE}`)
  const folder = asName(basename(path))
  const badName = typeof json.name === 'string' && nameProblem(json.name) !== undefined ? json.name : undefined
  const isOurs = json.targets !== undefined
  const name = badName === undefined ? (json.name ?? (isOurs ? folder : inferredName(document, folder))) : folder
  if (name === '') throw refused(path, 'no name could be made for it', 'add a frontmatter with a name')
  const description = json.description ?? document.description ?? firstParagraph(document.body)
  if (description === undefined || (typeof description === 'string' && description.trim() === '')) {
    throw refused(path, 'it has no description', `add a frontmatter with a description to its ${DOCUMENT_FILE}`)
  }
  const declared = isOurs ? json.targets : targets.length > 0 ? [...targets] : undefined
  const { skill, problems } = parseSkill({ ...json, name, description, targets: declared }, folder)
  if (skill === undefined) throw refused(path, problems.join('; '), `repair its ${SKILL_FILE}`)
  return { skill, badName }
}

function inferredName({ name = '', body }: ReturnType<typeof importedDocument>, folder: string): string {
  return asName(name) || asName(firstHeading(body) ?? '') || folder
}

function asName(text: string): string {
  return nameProblem(text) === undefined ? text : slug(text)
}

/** A skill in its form for the library: the texts to write, and where to copy its other files from. */
export interface SkillContent {
  skill: Skill
  document: string
  files: readonly { path: string; folder: string; isExecutable: boolean }[]
}

export function contentOf({ path, skill, document, files }: ForeignSkill): SkillContent {
  const copied = [...files].map(([file, identity]) => {
    return { path: file, folder: path, isExecutable: identity.startsWith('x') }
  })
  return { skill, document, files: copied }
}

/** Writes a skill into a new folder. */
export function writeSkillFolder({ skill, document, files }: SkillContent, target: string): void {
  for (const { path, folder, isExecutable } of files) copyFile(folder, path, join(target, path), isExecutable)
  writeTreeFile(join(target, DOCUMENT_FILE), document, false)
  writeTreeFile(join(target, SKILL_FILE), formatSkill(skill), false)
}

function refused(path: string, problem: string, hint: string) {
  return failWith('INVALID_SKILL/import', { path, problem, hint })
}

/** A skill that another manager installed, and its source. */
export interface LockedSkill {
  /** As written in the lock file. */
  from: string
  /** In the form that Loadout records, if the lock file has enough details. */
  origin?: Pick<SkillSource, 'url' | 'path' | 'folder' | 'ref'>
}

/** Reads the lock file of `npx skills`: of a project, or of the user. Loadout never writes it. */
export function readSkillsLock(
  machine: Machine,
  project: string | undefined,
): { skills: ReadonlyMap<string, LockedSkill>; findings: Finding[] } {
  const { XDG_STATE_HOME: state } = machine.env
  const own = state ? join(state, 'skills') : join(machine.home, '.agents')
  const path = project === undefined ? join(own, '.skill-lock.json') : join(project, 'skills-lock.json')
  if (!exists(path)) return { skills: new Map(), findings: [] }
  try {
    const json = readJson(path)
    const { skills = {} } = isRecord(json) ? json : { skills: undefined }
    if (!isRecord(json) || !isRecord(skills)) throw failWith('BAD_JSON/skills-lock', { path })
    const rows = Object.entries(skills).map(([name, row]) => [name, lockedSkill(row)] as const)
    return { skills: new Map(rows), findings: [] }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const message = `the lock file of another manager was skipped: ${error.message}`
    return { skills: new Map(), findings: [asFinding(error, { message, hint: undefined, subject: path })] }
  }
}

function lockedSkill(row: unknown): LockedSkill {
  if (!isRecord(row)) return { from: 'an unknown source' }
  const { source, sourceType, sourceUrl, ref, skillPath } = row
  const from = [source, sourceUrl].find((value) => typeof value === 'string') ?? 'an unknown source'
  const folder = typeof skillPath === 'string' ? skillPath.replace(/\\/g, '/').replace(/\/?SKILL\.md$/, '') : undefined
  const place = placeOf(source, sourceType, sourceUrl)
  if (place === undefined || folder === undefined) return { from }
  return { from, origin: { ...place, folder, ref: typeof ref === 'string' ? ref : undefined } }
}

function placeOf(source: unknown, type: unknown, url: unknown): Pick<SkillSource, 'url' | 'path'> | undefined {
  if (type === 'local') return typeof source === 'string' ? { path: source } : undefined
  if (typeof url === 'string' && /^(?:https?|ssh|git|file):|^[\w.-]+@[\w.-]+:/.test(url)) return { url }
  return type === 'github' && typeof source === 'string' ? { url: `https://github.com/${source}` } : undefined
}

/** A folder with a SKILL.md that was found in a source. */
interface FoundSkill {
  path: string
  /** Relative to the source, with slashes; empty for the source itself. */
  folder: string
  /** The plugin that it belongs to, if a manifest names one. */
  plugin?: string
}

/** Skills or folders that are not imported, for one reason. */
export interface LeftOutSkills {
  reason: string
  count: number
  /** The first few. */
  examples: string[]
}

export interface Discovery {
  skills: FoundSkill[]
  leftOut: LeftOutSkills[]
  findings: Finding[]
}

/** What `npx skills` writes as `computedHash` of a folder: of its plain files, in the order that it has them. */
export function npxHash(folder: string): string {
  const files = listTree(folder).files.filter(
    ({ path, kind }) => kind === 'file' && !path.split('/').includes('node_modules'),
  )
  const order = new Intl.Collator('en')
  const hash = createHash('sha256')
  for (const { path } of [...files].sort((a, b) => order.compare(a.path, b.path))) {
    hash.update(path).update(readInside(folder, path, { most: LARGEST_FILE }).bytes ?? '')
  }
  return hash.digest('hex')
}

const LARGEST_FILE = 1024 * 1024 * 1024
const MOST_FOLDERS = 200_000
const MANIFESTS = '.claude-plugin'

const REASONS = {
  inside: 'inside another skill',
  guide: 'the guide to a collection, whose skills are all here',
  linked: `${DOCUMENT_FILE} is a link`,
  link: 'a link to a folder with a skill',
  dependencies: 'folders of dependencies, which were not looked into',
  elsewhere: 'plugins of the marketplace that lie in other repositories',
  submodules: 'submodules, which are not fetched',
  unreadable: 'folders that cannot be read',
  limit: `folders beyond the limit of ${MOST_FOLDERS}`,
} as const

/** Folders of mirrors for single agents, translations, samples and tests. A copy there is ignored if it differs. */
export const ASIDE =
  /(?:^|\/)(?:\.[^/]|(?:docs?|translations?|i18n|l10n|locales?|examples?|samples?|tests?|fixtures?|evals?|archived?|deprecated|backups?)\/)/i

/**
 * Walks a whole source. A folder with a SKILL.md is one skill, with everything in it. `isCollection`: except for the
 * source itself, whose SKILL.md is a guide to the skills below it.
 */
export function discoverSkills(root: string, isCollection = false): Discovery {
  const walk = new Walk(root, { ignore: ['versions', 'dependencies'], mostFolders: MOST_FOLDERS })
  const found: FoundSkill[] = []
  const leftOut = new Tally()
  const inSkill = new Set<string>()
  const own: string[] = []
  const manifests: Manifests = { plugins: [], elsewhere: [], findings: [] }
  for (const folder of walk.folders()) {
    const { path, inside, entries } = folder
    const document = entries.find(({ name, kind }) => name === DOCUMENT_FILE && kind !== 'folder')
    const at = inside.lastIndexOf('/')
    const isInside = inSkill.has(at < 0 ? '' : inside.slice(0, at)) && inside !== ''
    if (isInside) inSkill.add(inside)
    if (document !== undefined && isInside) {
      leftOut.add('inside', inside)
      if (!ASIDE.test(inside) && !/(?:^|\/)(?:assets|templates?|references?)(?:\/|$)/i.test(inside)) own.push(inside)
    } else if (document?.kind === 'link' && inside !== '') leftOut.add('linked', inside)
    else if (document !== undefined && inside === '' && isCollection) leftOut.add('guide', DOCUMENT_FILE)
    else if (document !== undefined) {
      found.push({ path, folder: inside })
      inSkill.add(inside)
    }
    if (!isInside) {
      // Reads the manifests of a plugin or marketplace in this folder. A broken one is a finding; the rest still
      // works.
      if (entries.some(({ name, kind }) => name === MANIFESTS && kind === 'folder')) {
        const read = (file: string, use: (json: unknown) => void) => {
          const place = `${MANIFESTS}/${file}`
          if (!exists(join(path, place))) return
          try {
            use(readJsonInside(path, place, 8 * 1024 * 1024))
          } catch (error) {
            if (!(error instanceof LoadoutError)) throw error
            const subject = inside === '' ? place : `${inside}/${place}`
            const message = `${subject} was skipped: ${error.message.replace(`${join(path, place)} `, 'it ')}`
            manifests.findings.push(asFinding(error, { message, hint: undefined, subject }))
          }
        }
        read('marketplace.json', (json) => {
          const { plugins, elsewhere } = parseMarketplace(json, inside)
          manifests.plugins.push(...plugins)
          manifests.elsewhere.push(...elsewhere)
        })
        read('plugin.json', (json) => {
          const plugin = parsePlugin(json, inside)
          if (plugin !== undefined) manifests.plugins.push(plugin)
        })
      }
    }
    for (const entry of entries) enterOrReport(walk, folder, entry, isInside, leftOut)
  }
  if (found.some(({ folder }) => folder === '') && own.length > 1) return discoverSkills(root, true)
  found.sort((a, b) => compareText(a.folder, b.folder))
  for (const name of manifests.elsewhere) leftOut.add('elsewhere', name)
  // Submodules in .gitmodules that are not fetched: git leaves an empty folder for them.
  const paths = [
    ...unlessTrouble(() => (exists(join(root, '.gitmodules')) ? readTextInside(root, '.gitmodules') : ''), '').matchAll(
      /^\s*path\s*=\s*(.+?)\s*$/gm,
    ),
  ].map(([, path = '']) => path)
  for (const name of paths.filter((path) => !exists(join(root, path, '.git')))) leftOut.add('submodules', name)
  for (const { inside } of walk.leftOut.unreadable) leftOut.add('unreadable', inside)
  if (walk.leftOut.count > 0) leftOut.add('limit', '', walk.leftOut.count)
  return {
    skills: found.map((each) => {
      const plugin = pluginFor(manifests.plugins, each.folder)
      return plugin === undefined ? each : { ...each, plugin }
    }),
    leftOut: leftOut.rows(),
    findings: manifests.findings,
  }
}

function enterOrReport(walk: Walk, folder: WalkFolder, entry: WalkEntry, isInside: boolean, leftOut: Tally): void {
  const { name, kind } = entry
  const inside = folder.inside === '' ? name : `${folder.inside}/${name}`
  if (kind === 'link' && !isInside && isFile(join(folder.path, name, DOCUMENT_FILE))) leftOut.add('link', inside)
  if (kind !== 'folder') return
  if (!walk.isIgnored(name)) folder.enter(name)
  else if (!isInside && name !== '.git') leftOut.add('dependencies', inside)
}

class Tally {
  private readonly byKind = new Map<keyof typeof REASONS, LeftOutSkills>()

  add(kind: keyof typeof REASONS, example: string, count = 1): void {
    const row = this.byKind.get(kind) ?? { reason: REASONS[kind], count: 0, examples: [] }
    row.count += count
    if (row.examples.length < 5 && example !== '') row.examples.push(example)
    this.byKind.set(kind, row)
  }

  rows(): LeftOutSkills[] {
    return [...this.byKind.values()]
  }
}

interface Manifests extends Marketplace {
  findings: Finding[]
}

/** In bytes. Of a larger text only the start is looked through, and it counts as not read. */
const LARGEST_TEXT = 256 * 1024
const LARGEST_PICTURE = 8 * 1024 * 1024

/** The files of a skill folder for the sheet, without skill.json, which is read as a `Skill`. */
export function* readReviewFiles(folder: string): Generator<ReviewFile> {
  for (const { path, kind, isExecutable } of listTree(folder).files)
    if (kind === 'file' && path !== SKILL_FILE) yield readReviewFile(folder, path, isExecutable)
}

/** The files of a skill that is not in the library yet, for the sheet. */
export function* readContentFiles({ document, files }: SkillContent): Generator<ReviewFile> {
  yield asReviewFile(DOCUMENT_FILE, false, Buffer.from(document), hashContent(document))
  for (const { path, folder, isExecutable } of files) yield readReviewFile(folder, path, isExecutable)
}

function readReviewFile(folder: string, path: string, isExecutable: boolean): ReviewFile {
  const { bytes, failure } = readInside(folder, path, { most: LARGEST_PICTURE, head: LARGEST_PICTURE })
  if (bytes === undefined) throw failure
  return asReviewFile(path, isExecutable, bytes, hashFile(folder, { path, kind: 'file' }))
}

/** A file that is not clean text is looked through as far as possible, and still counts as not read. */
function asReviewFile(path: string, isExecutable: boolean, bytes: Buffer, digest: string): ReviewFile {
  const file = { path, isExecutable, digest, bytes }
  const isText = !bytes.includes(0) && isUtf8(bytes)
  if (/\.(?:png|jpe?g|gif|webp|ico|avif|ttf|otf|woff2?)$/i.test(path) && !isText) return { ...file, text: undefined }
  const start = bytes.subarray(0, LARGEST_TEXT)
  const isWide = (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff)
  const text = isText ? start.toString() : isWide ? wideText(start) : start.toString('latin1').replaceAll('\0', '')
  if (isText && isPointer(text)) return { ...file, text, problem: LFS_PROBLEM }
  if (!isText) return { ...file, text, problem: 'is not text in UTF-8' }
  if (bytes.length > LARGEST_TEXT) return { ...file, text, problem: 'is too large to be looked through' }
  // An import moves the frontmatter into skill.json. A second one here would be installed without being looked at.
  const { frontmatter = {} } = path === DOCUMENT_FILE ? readDocument(text) : {}
  if (Object.keys(frontmatter).length > 0) return { ...file, text, problem: 'has a frontmatter of its own' }
  return { ...file, text }
}

function wideText(bytes: Buffer): string {
  const even = Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)))
  return (bytes[0] === 0xfe ? even.swap16() : even).toString('utf16le')
}
