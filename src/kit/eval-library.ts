import { basename, join } from 'node:path'
import { type Examples, openExamples } from '../examples/examples.ts'
import { exists, isFolder, readJson } from '../machine/files.ts'
import { readTextInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { INDEX_IN_PROJECT } from '../machine/open-project.ts'
import { importedDocument } from '../machine/skill-document.ts'
import { Walk } from '../machine/walk.ts'
import { packDocumentIn } from '../packs/catalog.ts'
import { PACK_FILE } from '../packs/rules/pack.ts'
import { indexDocuments, libraryDocuments } from '../payloads/evaluate.ts'
import type { RankDocument } from '../search/document.ts'
import { rankedSkill } from '../skills/ranked-skill.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { asFinding, type Finding, LoadoutError } from '../text/trouble.ts'
import { isRecord, isTextList } from '../text/values.ts'

/** Documents to test, and other names that questions may use for them. */
export interface EvalLibrary {
  path: string
  documents: RankDocument[]
  /** The folder of a skill → its id, where they differ. */
  aliases: Map<string, string>
  findings: Finding[]
}

const SKILL_LABEL = 'skill.json'

/** Whether a folder contains skills, packs or an index, rather than only questions. */
export function isLibrary(path: string): boolean {
  return isFolder(path) && (exists(join(path, INDEX_IN_PROJECT)) || entryFolders(path, true).length > 0)
}

/** A folder of skills and packs, a project, an index file, or documents, one per line. */
export function openLibrary(machine: Machine, path: string): EvalLibrary {
  if (!isFolder(path)) {
    const isIndex = path.endsWith('.json')
    const found = isIndex ? indexDocuments(machine, path) : { documents: libraryDocuments(path), findings: [] }
    return { path, aliases: new Map(), ...found }
  }
  const library: EvalLibrary = { path, documents: [], aliases: new Map(), findings: [] }
  const examples = openExamples(machine, { project: path, library: path }, 'committed')
  const index = join(path, INDEX_IN_PROJECT)
  if (exists(index)) {
    const { documents, findings } = indexDocuments(machine, index)
    library.documents.push(...documents)
    library.findings.push(...findings)
  }
  const taken = new Set(library.documents.map(({ id }) => id))
  for (const folder of entryFolders(path, false)) addFolder(library, taken, examples, folder)
  return library
}

/** Folders with a skill or a pack, by path; with `isEnough` only the first. */
function entryFolders(root: string, isEnough: boolean): { inside: string; file: string }[] {
  const found: { inside: string; file: string }[] = []
  const walk = new Walk(root, { ignore: ['versions', 'dependencies'] })
  for (const { inside, entries, enter } of walk.folders()) {
    const file = entries.find(({ name }) => name === DOCUMENT_FILE || name === PACK_FILE)?.name
    if (file !== undefined) found.push({ inside, file })
    if (isEnough && found.length > 0) break
    for (const { name, kind, isIgnored } of entries) if (kind === 'folder' && !isIgnored) enter(name)
  }
  return found.sort((a, b) => (a.inside < b.inside ? -1 : 1))
}

function addFolder(
  library: EvalLibrary,
  taken: Set<string>,
  examples: Examples,
  { inside, file }: { inside: string; file: string },
): void {
  try {
    const isSkill = file === DOCUMENT_FILE
    const read = isSkill ? readSkill(library.path, inside) : packDocumentIn(join(library.path, inside))
    if (read === undefined) return
    const document = examples.into(isSkill ? 'skill' : 'pack', read, true)
    // Folders distinguish two entries of one name.
    const id = taken.has(document.id) ? inside : document.id
    taken.add(id)
    library.documents.push({ ...document, id })
    const folder = basename(inside)
    if (folder !== id && !library.aliases.has(folder)) library.aliases.set(folder, id)
  } catch (error) {
    library.findings.push({ ...asFinding(error), subject: inside })
  }
}

function readSkill(root: string, inside: string): RankDocument {
  const markdown = readTextInside(root, inside === '' ? DOCUMENT_FILE : `${inside}/${DOCUMENT_FILE}`)
  const label = readLabel(join(root, inside, SKILL_LABEL))
  const name = label.name ?? importedDocument(markdown).name ?? basename(inside === '' ? root : inside)
  return rankedSkill({ ...label, name }, markdown)
}

/** The label of a skill in the library, if there is one. */
function readLabel(path: string): { name?: string; description?: string; tags?: string[] } {
  if (!exists(path)) return {}
  try {
    const json = readJson(path)
    if (!isRecord(json)) return {}
    const { name, description, tags } = json
    return {
      ...(typeof name === 'string' ? { name } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      ...(isTextList(tags) ? { tags } : {}),
    }
  } catch (error) {
    if (error instanceof LoadoutError) return {}
    throw error
  }
}
