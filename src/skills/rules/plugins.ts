import { isRecord, isTextList } from '../../text/values.ts'

/** A plugin in a source, from `.claude-plugin/marketplace.json` or `plugin.json`. */
export interface Plugin {
  name: string
  /** Relative to the source, with slashes; empty for the source itself. */
  folder: string
  /** The folders of its skills; undefined for all skills in its folder. */
  skills?: string[]
}

export interface Marketplace {
  plugins: Plugin[]
  /** Names of plugins in other repositories, with the repository. */
  elsewhere: string[]
}

/** Parses a marketplace in a folder of the source. Skips what it does not understand. */
export function parseMarketplace(json: unknown, folder: string): Marketplace {
  const marketplace: Marketplace = { plugins: [], elsewhere: [] }
  if (!isRecord(json) || !Array.isArray(json.plugins)) return marketplace
  const base = isRecord(json.metadata) && typeof json.metadata.pluginRoot === 'string' ? json.metadata.pluginRoot : ''
  for (const row of json.plugins) {
    if (!isRecord(row) || typeof row.name !== 'string') continue
    const { name, source = '.' } = row
    if (typeof source !== 'string') marketplace.elsewhere.push(`${name}${placeOf(source)}`)
    else marketplace.plugins.push(pluginOf(name, below(folder, `${base}/${source}`), row.skills))
  }
  return marketplace
}

export function parsePlugin(json: unknown, folder: string): Plugin | undefined {
  if (!isRecord(json) || typeof json.name !== 'string') return undefined
  return pluginOf(json.name, folder, json.skills)
}

function pluginOf(name: string, folder: string, skills: unknown): Plugin {
  const listed = typeof skills === 'string' ? [skills] : isTextList(skills) ? skills : undefined
  return { name, folder, skills: listed?.map((path) => below(folder, path)) }
}

function placeOf(source: unknown): string {
  if (!isRecord(source)) return ''
  const place = [source.repo, source.url, source.package].find((value) => typeof value === 'string')
  return place === undefined ? '' : ` (${place})`
}

/** `a` and `./b/` give `a/b`; `..` never leads out of the source. */
function below(folder: string, path: string): string {
  const parts: string[] = []
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

/** The plugin of a skill: one that lists it, else the nearest one around it without a list. */
export function pluginFor(plugins: readonly Plugin[], folder: string): string | undefined {
  const isIn = (place: string) => place === '' || folder === place || folder.startsWith(`${place}/`)
  const lists = plugins.find(({ skills }) => skills?.some((place) => place !== '' && isIn(place)))
  if (lists !== undefined) return lists.name
  const around = plugins.filter(({ folder: place, skills }) => skills === undefined && isIn(place))
  return around.sort((a, b) => b.folder.length - a.folder.length)[0]?.name
}
