import { isRecord } from '../../text/values.ts'

/** Where a skill of the library was imported from, as `source` in skill.json says. */
export interface SkillSource {
  /** As git can clone it, without a password. Exactly one of `url` and `path`. */
  url?: string
  /** A folder or an archive on the machine that imported it; `~/…` below the home folder. */
  path?: string
  /** Of the skill below the source, with slashes; empty when it is the source itself. */
  folder: string
  /** The branch or tag. */
  ref?: string
  /** Where the source is a git repository. */
  commit?: string
  /** Of the folder as it was found, before anything of it was changed for the library. */
  treeHash: string
  importedAt: string
  /** Of the folder as import wrote it into the library, skill.json without this record. */
  libraryHash?: string
  /** Keys that are not known here; kept when it is written again. */
  others: Record<string, unknown>
}

const KEYS = ['url', 'path', 'folder', 'ref', 'commit', 'tree_hash', 'imported_at', 'library_hash']

/** Undefined for anything else that a skill.json may call its source: that is not ours to change. */
export function parseSource(json: unknown): SkillSource | undefined {
  if (!isRecord(json)) return undefined
  const { url, path, folder, ref, commit, tree_hash, imported_at, library_hash } = json
  const optional = [url, path, ref, commit, library_hash]
  if (optional.some((value) => value !== undefined && typeof value !== 'string')) return undefined
  if ((url === undefined) === (path === undefined)) return undefined
  if (typeof folder !== 'string' || typeof tree_hash !== 'string' || typeof imported_at !== 'string') return undefined
  return {
    ...(typeof url === 'string' ? { url } : {}),
    ...(typeof path === 'string' ? { path } : {}),
    folder,
    ...(typeof ref === 'string' ? { ref } : {}),
    ...(typeof commit === 'string' ? { commit } : {}),
    treeHash: tree_hash,
    importedAt: imported_at,
    ...(typeof library_hash === 'string' ? { libraryHash: library_hash } : {}),
    others: Object.fromEntries(Object.entries(json).filter(([key]) => !KEYS.includes(key))),
  }
}

export function formatSource(source: SkillSource): Record<string, unknown> {
  const { url, path, folder, ref, commit, treeHash, importedAt, libraryHash, others } = source
  const known = { url, path, folder, ref, commit, tree_hash: treeHash, imported_at: importedAt }
  return { ...known, library_hash: libraryHash, ...others }
}
