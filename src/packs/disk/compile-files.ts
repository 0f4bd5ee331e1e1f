import { join } from 'node:path'
import { removeFile } from '../../machine/files.ts'
import { readInside, readJsonInside, refuseLinkOut, writeInside } from '../../machine/inside.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { getOwn, isRecord, sha256 } from '../../text/values.ts'
import { isPlaceholder, isTemplate } from '../rules/author/pack-template.ts'
import { LARGEST_PACK_FILE, parsePackJson, SOURCE_MAP_PATH } from '../rules/pack.ts'

/** Digests of the views that Loadout wrote: a view with another digest was edited. */
const COMPILED_RECORD = 'runs/compiled.json'

/** The views that a person wrote or edited. Unchanged template texts do not count. */
export function foreignViews(root: string, paths: readonly string[]): string[] {
  const made = readMade(root)
  return paths.filter((path) => {
    const text = textAt(root, path)
    return text !== undefined && !isTemplate(text) && sha256(text) !== getOwn(made, path)
  })
}

/** The views that Loadout wrote and that are still unchanged. */
export function ownViews(root: string): string[] {
  const made = readMade(root)
  return Object.keys(made)
    .filter((path) => /^compiled\/[a-z]+\.md$/.test(path))
    .filter((path) => {
      const text = textAt(root, path)
      return text !== undefined && sha256(text) === made[path]
    })
}

export function removeViews(root: string, paths: readonly string[]): void {
  for (const path of paths) {
    refuseLinkOut(root, path)
    removeFile(join(root, path))
  }
}

export function hasText(root: string, path: string, text: string): boolean {
  return textAt(root, path) === text
}

/** Writes files of a pack. Writes none if a link leads one of them out of the pack. */
export function writeCompiled(root: string, files: ReadonlyMap<string, string>): void {
  for (const path of [...files.keys(), COMPILED_RECORD]) refuseLinkOut(root, path)
  for (const [path, text] of files) writeInside(root, path, text)
}

export function noteCompiled(root: string, views: ReadonlyMap<string, string>): void {
  const digests = Object.fromEntries([...views].map(([path, text]) => [path, sha256(text)]))
  writeInside(root, COMPILED_RECORD, `${JSON.stringify({ tool: 'loadout', files: digests }, undefined, 2)}\n`)
}

function readMade(root: string): Record<string, unknown> {
  try {
    const json = readJsonInside(root, COMPILED_RECORD)
    return isRecord(json) && isRecord(json.files) ? json.files : {}
  } catch {
    return {}
  }
}

function textAt(root: string, path: string): string | undefined {
  return readInside(root, path, { most: LARGEST_PACK_FILE }).bytes?.toString('utf8')
}

/** Refuses to replace an unreadable map: it may contain its author's work. */
export function parseSourceMap(text: string | undefined, pack: string): Record<string, unknown> {
  if (text === undefined || isPlaceholder(text)) return {}
  const parsed = parsePackJson({ path: SOURCE_MAP_PATH, text })
  if ('value' in parsed && isRecord(parsed.value)) return parsed.value
  throw new LoadoutError('COMPILE_REFUSED', `${SOURCE_MAP_PATH} of ${pack} cannot be read`, {
    hint: 'repair or remove it; nothing was written',
  })
}
