import { type Dirent, lstatSync, opendirSync, realpathSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Stamp, stampOf } from '../../../machine/cache.ts'
import { isFolder, isLink } from '../../../machine/files.ts'
import type { Machine } from '../../../machine/machine.ts'
import { realOrSame } from '../../../machine/open-project.ts'
import { DOCUMENT_FILE } from '../../../text/skill-document.ts'
import { compareText } from '../../../text/values.ts'
import type { ReadingRules } from '../../rules/reading-rules.ts'
import type { FoundSkill } from '../../rules/sight/visibility.ts'
import { describeSkill, describeWorkflow, SkillHeads } from './described-skill.ts'
import type { FoundPlace } from './places.ts'

/** Limits against huge folders. */
const MOST_ENTRIES = 20_000
const MOST_FOLDERS = 2_000
const DEEPEST_COMMAND = 8

/** All skills in some places, in the order of the places and then of names. Never throws or hangs. */
export function findSkills(
  machine: Machine,
  places: readonly FoundPlace[],
  rules: ReadingRules,
  scan = openScan(machine),
): FoundSkill[] {
  const { heads } = scan
  const found = places.flatMap((place, at) => {
    if (place.state !== 'read') return []
    const { isCommands, isWorkflows = false } = place
    const key = JSON.stringify([place.path, isWorkflows, isCommands, rules])
    const files: FoundFile[] =
      scan.files.get(key) ??
      (isWorkflows
        ? listFolder(place.path).flatMap(({ name }) => (name.endsWith('.js') ? [{ relativePath: name }] : []))
        : isCommands
          ? findCommands(place.path)
          : findDocuments(place.path, rules))
    scan.files.set(key, files)
    return files.map(({ relativePath, realPath, stamp, problem }) => {
      const path = join(place.path, relativePath)
      const where = {
        path,
        relativePath,
        place: at,
        scope: place.scope,
        isCommand: isCommands,
        isWorkflow: isWorkflows,
      }
      const described = isWorkflows
        ? describeWorkflow(heads, place.path, path)
        : describeSkill({ heads, place: place.path, path, relativePath, stamp, isCommand: isCommands, problem }, rules)
      const name = place.plugin === undefined ? described.name : `${place.plugin}:${described.name}`
      return { ...where, realPath: realPath ?? realOrSame(path), ...described, name }
    })
  })
  heads.save()
  return found
}

/** Two questions of one call need not list the same folders twice. */
export interface SkillScan {
  heads: SkillHeads
  files: Map<string, FoundFile[]>
}

export function openScan(machine: Machine): SkillScan {
  return { heads: new SkillHeads(machine), files: new Map() }
}

interface FoundFile {
  relativePath: string
  /** Set if it is known without following links again. */
  realPath?: string
  /** Of a regular file. */
  stamp?: Stamp
  /** Why the agent does not open it. */
  problem?: string
}

/** Finds folders with a SKILL.md, breadth first. Enters no real folder twice, so that links cannot form a loop. */
function findDocuments(root: string, rules: ReadingRules): FoundFile[] {
  const files: FoundFile[] = []
  const realRoot = realOrSame(root)
  const visited = new Set([realRoot])
  let level = [{ parent: '', realParent: realRoot }]
  for (let depth = 1; depth <= rules.depth && level.length > 0; depth++) {
    const next: typeof level = []
    for (const { parent, realParent } of level) {
      for (const entry of listFolder(join(root, parent))) {
        if (entry.isFile() || (rules.skipsDotFolders && entry.name.startsWith('.'))) continue
        const folder = join(parent, entry.name)
        // For a folder that is not a link, join the paths: realpath costs a system call for each part of the path.
        const real = entry.isDirectory() ? join(realParent, entry.name) : realOrSame(join(root, folder))
        const found =
          entry.isDirectory() || isFolder(join(root, folder))
            ? findDocument(root, folder, real, rules)
            : brokenFolder(root, folder)
        if (found !== undefined) files.push(found)
        if (depth === rules.depth || visited.has(real) || visited.size >= MOST_FOLDERS || !isFolder(real)) continue
        visited.add(real)
        next.push({ parent: folder, realParent: real })
      }
    }
    level = next
  }
  return files
}

/** A deeper broken link may be anything, so it is not reported. */
function brokenFolder(root: string, folder: string): FoundFile | undefined {
  const isMeant = isLink(join(root, folder)) && dirname(folder) === '.'
  return isMeant ? { relativePath: join(folder, DOCUMENT_FILE), problem: 'its folder is a broken link' } : undefined
}

function findDocument(root: string, folder: string, real: string, rules: ReadingRules): FoundFile | undefined {
  const relativePath = join(folder, DOCUMENT_FILE)
  let stat: Stats | undefined
  try {
    stat = lstatSync(join(root, relativePath), { throwIfNoEntry: false })
  } catch {
    // The folder is not accessible: reading the file will report it.
    return { relativePath, realPath: join(real, DOCUMENT_FILE) }
  }
  if (stat === undefined) {
    const near = listFolder(join(root, folder)).find(({ name }) => name.toLowerCase() === DOCUMENT_FILE.toLowerCase())
    return near && { relativePath, problem: `its file is called ${near.name}; only ${DOCUMENT_FILE} is read` }
  }
  if (!stat.isSymbolicLink()) return { relativePath, realPath: join(real, DOCUMENT_FILE), stamp: stampOf(stat) }
  if (rules.followsLinkedFiles) return { relativePath }
  return { relativePath, problem: `${DOCUMENT_FILE} is a link; only linked folders are followed` }
}

function findCommands(root: string, folder = '', depth = 0): FoundFile[] {
  return listFolder(join(root, folder)).flatMap((entry) => {
    const relativePath = join(folder, entry.name)
    if (isFolder(join(root, relativePath))) {
      return depth < DEEPEST_COMMAND && !isBelowItself(root, relativePath)
        ? findCommands(root, relativePath, depth + 1)
        : []
    }
    return entry.name.endsWith('.md') ? [{ relativePath }] : []
  })
}

/** Whether a folder is a link to one of its parents. */
function isBelowItself(root: string, folder: string): boolean {
  const path = join(root, folder)
  return isLink(path) && realpathSync(join(path, '..')).startsWith(realOrSame(path))
}

/** At most `MOST_ENTRIES`, sorted by name. */
function listFolder(path: string): Dirent[] {
  const entries: Dirent[] = []
  try {
    const folder = opendirSync(path)
    try {
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        if (entries.push(entry) >= MOST_ENTRIES) break
      }
    } finally {
      folder.closeSync()
    }
  } catch {
    // Report what was read so far; a folder that cannot be opened has nothing to report.
  }
  return entries.sort((a, b) => compareText(a.name, b.name))
}
