import {
  DIRECTORY_MIME_TYPE,
  type Skill,
  SkillCatalogError,
  type SkillReadResult,
  type SkillSource,
  SkillsExtension,
  skillEntry,
} from '@modelcontextprotocol/server/ext/skills'

import type { Loadout } from '../loadout.ts'
import { LoadoutError } from '../text/trouble.ts'
import { MOST_LISTED } from './resources.ts'
import { orProtocolError, printLine } from './tool.ts'

const BASE = 'skill://'
const DOCUMENT = 'SKILL.md'
/** The digest needs every file of a skill. */
const SKILLS_PER_PAGE = 50

/** The library through the protocol's own extension, read again on each request: always up to date. */
export function librarySkills(loadout: Loadout): SkillsExtension {
  const skills = async () => (await loadout.skills.list({})).value
  const source: SkillSource = {
    list: ({ cursor = '' }) =>
      orProtocolError(async () => {
        const rest = (await skills()).map(({ name }) => name).filter((name) => name > cursor)
        const page = rest.slice(0, SKILLS_PER_PAGE)
        const described = await Promise.all(page.map((name) => describeSkill(loadout, name)))
        const more = rest.length > page.length ? { nextCursor: page.at(-1) ?? '' } : {}
        return { skills: described.filter((skill) => skill !== undefined), ...more }
      }),
    get: (uri) =>
      orProtocolError(async () => {
        const place = readPlace(uri)
        return place?.path === DOCUMENT ? describeSkill(loadout, place.name) : undefined
      }),
    read: (uri) =>
      orProtocolError(async () => {
        const place = readPlace(uri)
        if (place === undefined) return undefined
        const { value } = await loadout.skills.readFile(place)
        return value && contentOf(value, place.path)
      }),
    readDirectory: (uri) => orProtocolError(() => listFolder(loadout, uri)),
    listResources: async () => {
      const listed = await skills().catch(printInstead)
      return listed.slice(0, MOST_LISTED).map(({ name, description }) => ({
        uri: `${BASE}${name}/${DOCUMENT}`,
        name,
        description,
        mimeType: 'text/markdown',
      }))
    },
  }
  return new SkillsExtension({ source, baseUri: BASE })
}

/** An unreadable library must not hide all other resources. */
function printInstead(error: unknown): [] {
  if (!(error instanceof LoadoutError)) throw error
  printLine(`no skills are offered: ${error.message}`)
  return []
}

/** Undefined for a missing skill, or one that the extension cannot describe: the other skills still work. */
async function describeSkill(loadout: Loadout, name: string): Promise<Skill | undefined> {
  try {
    const { value: files } = await loadout.skills.open({ name })
    return files && (await skillEntry(name, files))
  } catch (error) {
    if (error instanceof SkillCatalogError || error instanceof LoadoutError) {
      printLine(`the skill ${name} is not offered: ${error.message}`)
      return undefined
    }
    throw error
  }
}

async function listFolder(loadout: Loadout, uri: string) {
  const place = readPlace(uri)
  const { value: files } = place ? await loadout.skills.open(place) : {}
  if (place === undefined || files === undefined) return undefined
  const prefix = place.path === '' ? '' : `${place.path}/`
  const below = Object.keys(files)
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length))
  if (below.length === 0) return undefined
  const children = [...new Set(below.map((path) => path.split('/')[0] ?? ''))].sort()
  return {
    resources: children.map((child) => ({
      uri: [`${BASE}${place.name}`, ...`${prefix}${child}`.split('/').map(encodeURIComponent)].join('/'),
      name: child,
      mimeType: below.includes(child) ? undefined : DIRECTORY_MIME_TYPE,
    })),
  }
}

/** The skill and the file or folder that an address names. */
function readPlace(uri: string): { name: string; path: string } | undefined {
  try {
    const { protocol, host, pathname } = new URL(uri)
    if (`${protocol}//` !== BASE || host === '') return undefined
    return { name: decodeURIComponent(host), path: decodeURIComponent(pathname.replace(/^\/|\/$/g, '')) }
  } catch {
    return undefined
  }
}

function contentOf(bytes: Uint8Array, path: string): SkillReadResult {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { text, mimeType: /\.md$/i.test(path) ? 'text/markdown' : undefined }
  } catch {
    return { bytes }
  }
}
