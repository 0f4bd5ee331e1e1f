import { isRecord } from '../../text/values.ts'

/** Where a skill of the library was imported from: `source` in skill.json. */
export interface SkillSource {
  /** An address that git can clone, without a password. Exactly one of `url` and `path`. */
  url?: string
  /** A folder or an archive on the machine that imported it; `~/…` in the home folder. */
  path?: string
  /** The path of the skill in the source, with slashes; empty for the source itself. */
  folder: string
  /** The branch or tag. */
  ref?: string
  /** If the source is a git repository. */
  commit?: string
  /** Hash of the folder as found, before any change for the library. */
  treeHash: string
  importedAt: string
  /** Hash of the folder as import wrote it into the library, with skill.json without this record. */
  libraryHash?: string
  /** Unknown keys; kept when it is written again. */
  others: Record<string, unknown>
}

const KEYS = ['url', 'path', 'folder', 'ref', 'commit', 'tree_hash', 'imported_at', 'library_hash']

/** Undefined for any other kind of "source" in a skill.json, which stays unchanged. */
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
