import { isAbsolute, join } from 'node:path'
import { exists, isFolder, readJson } from '../../machine/files.ts'
import { readJsonInside } from '../../machine/inside.ts'
import type { Machine } from '../../machine/machine.ts'
import { unlessTrouble } from '../../text/trouble.ts'
import { compareText, isRecord } from '../../text/values.ts'
import { parseMarketplace } from '../rules/plugins.ts'
import { parseRepositoryName } from '../rules/source-name.ts'

/** Skills that another program keeps on this machine: a marketplace or plugin of Claude Code, or a folder of a manager. */
export interface KnownPlugin {
  /** As Claude Code names it: `plugin@marketplace`, or the name of the marketplace. Of others: the name of the program. */
  name: string
  /** A folder with its skills. */
  root: string
  /** Only the skills of this plugin. */
  plugin?: string
  /** The address of the marketplace, if it is a repository. */
  url?: string
  isInstalled: boolean
}

/** What other programs keep on this machine. A broken file has nothing. */
export function listPlugins({ home, env, xdgConfigHome }: Machine): KnownPlugin[] {
  const own = env.CLAUDE_CONFIG_DIR
  const folder = join(own && isAbsolute(own) ? own : join(home, '.claude'), 'plugins')
  const read = (file: string) => {
    const path = join(folder, file)
    const json = unlessTrouble(() => (exists(path) ? readJson(path) : {}), {})
    return isRecord(json) ? json : {}
  }
  const { plugins: rows } = read('installed_plugins.json')
  const installed = new Map<string, string>()
  for (const [name, installs] of Object.entries(isRecord(rows) ? rows : {})) {
    const place: unknown = Array.isArray(installs) && isRecord(installs[0]) ? installs[0].installPath : undefined
    if (typeof place === 'string' && isFolder(place)) installed.set(name, place)
  }
  const known = Object.entries(read('known_marketplaces.json')).flatMap(([name, row]): KnownPlugin[] => {
    if (!isRecord(row) || typeof row.installLocation !== 'string' || !isFolder(row.installLocation)) return []
    const root = row.installLocation
    const { repo, url } = isRecord(row.source) ? row.source : {}
    const named = [url, repo].find((value) => typeof value === 'string')
    const address = named === undefined ? undefined : parseRepositoryName(named)?.url
    const file = '.claude-plugin/marketplace.json'
    const json = unlessTrouble(() => (exists(join(root, file)) ? readJsonInside(root, file) : {}), {})
    const plugins = parseMarketplace(json, '').plugins.map((each): KnownPlugin => {
      const id = `${each.name}@${name}`
      return { name: id, root, plugin: each.name, url: address, isInstalled: installed.has(id) }
    })
    return [{ name, root, url: address, isInstalled: false }, ...plugins]
  })
  // The marketplace of an installed plugin may be gone, or only name the repository of the plugin.
  const rest = [...installed].flatMap(([name, root]) =>
    known.some((each) => each.name === name) ? [] : [{ name, root, isInstalled: true }],
  )
  const folders = { skillshare: join(xdgConfigHome, 'skillshare/skills'), apm: join(home, '.apm/apm_modules') }
  const managers = Object.entries(folders).flatMap(([name, root]) =>
    isFolder(root) ? [{ name, root, isInstalled: true }] : [],
  )
  return [...known, ...rest, ...managers].sort((a, b) => compareText(a.name, b.name))
}
