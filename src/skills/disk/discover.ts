import { join } from 'node:path'
import { exists, isFile } from '../../machine/files.ts'
import { readJsonInside, readTextInside } from '../../machine/inside.ts'
import { Walk, type WalkEntry, type WalkFolder } from '../../machine/walk.ts'
import { DOCUMENT_FILE } from '../../text/skill-document.ts'
import { type Finding, LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import { type Marketplace, parseMarketplace, parsePlugin, pluginFor } from '../rules/plugins.ts'

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

const MOST_FOLDERS = 200_000
const MANIFESTS = '.claude-plugin'

const REASONS = {
  inside: 'inside another skill',
  linked: `${DOCUMENT_FILE} is a link`,
  link: 'a link to a folder with a skill',
  dependencies: 'folders of dependencies, which were not looked into',
  elsewhere: 'plugins of the marketplace that lie in other repositories',
  submodules: 'submodules, which are not fetched',
  unreadable: 'folders that cannot be read',
  limit: `folders beyond the limit of ${MOST_FOLDERS}`,
} as const

/** Walks a whole source. A folder with a SKILL.md is one skill, with everything in it. */
export function discoverSkills(root: string): Discovery {
  const walk = new Walk(root, { ignore: ['versions', 'dependencies'], mostFolders: MOST_FOLDERS })
  const found: FoundSkill[] = []
  const leftOut = new Tally()
  const inSkill = new Set<string>()
  const manifests: Manifests = { plugins: [], elsewhere: [], findings: [] }
  for (const folder of walk.folders()) {
    const { path, inside, entries } = folder
    const document = entries.find(({ name, kind }) => name === DOCUMENT_FILE && kind !== 'folder')
    const at = inside.lastIndexOf('/')
    const isInside = inSkill.has(at < 0 ? '' : inside.slice(0, at)) && inside !== ''
    if (isInside) inSkill.add(inside)
    if (document !== undefined && isInside) leftOut.add('inside', inside)
    else if (document?.kind === 'link' && inside !== '') leftOut.add('linked', inside)
    else if (document !== undefined) {
      found.push({ path, folder: inside })
      inSkill.add(inside)
    }
    if (!isInside) readManifests(folder, manifests)
    for (const entry of entries) enterOrReport(walk, folder, entry, isInside, leftOut)
  }
  found.sort((a, b) => compareText(a.folder, b.folder))
  for (const name of manifests.elsewhere) leftOut.add('elsewhere', name)
  // Submodules in .gitmodules that are not fetched: git leaves an empty folder for them.
  const paths = [...textIn(root, '.gitmodules').matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)].map(([, path = '']) => path)
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

/** Reads the manifests of a plugin or marketplace in this folder. A broken one is a finding; the rest still works. */
function readManifests({ path, inside, entries }: WalkFolder, manifests: Manifests): void {
  if (!entries.some(({ name, kind }) => name === MANIFESTS && kind === 'folder')) return
  const read = (file: string, use: (json: unknown) => void) => {
    const place = `${MANIFESTS}/${file}`
    if (!exists(join(path, place))) return
    try {
      use(readJsonInside(path, place, 8 * 1024 * 1024))
    } catch (error) {
      if (!(error instanceof LoadoutError)) throw error
      const subject = inside === '' ? place : `${inside}/${place}`
      const message = `${subject} was skipped: ${error.message.replace(`${join(path, place)} `, 'it ')}`
      manifests.findings.push({ severity: 'warning', code: error.code, message, subject })
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

function textIn(root: string, path: string): string {
  try {
    return exists(join(root, path)) ? readTextInside(root, path) : ''
  } catch (error) {
    if (error instanceof LoadoutError) return ''
    throw error
  }
}
