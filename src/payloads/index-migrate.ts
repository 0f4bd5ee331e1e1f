import { basename, join, relative, resolve, sep } from 'node:path'
import { changeFiles } from '../change/edits.ts'
import { exists, isFile, readText } from '../machine/files.ts'
import { refuseLinkOut, refuseNamedLinkOut, staysInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { INDEX_IN_PROJECT } from '../machine/open-project.ts'
import { pathProblem } from '../text/paths.ts'
import { failWith, hasErrors } from '../text/trouble.ts'
import { nearest } from '../text/values.ts'
import { isPayloadPath } from './disk/payload-files.ts'
import { openPayloadRoot, type PayloadRoot, readEntries, rebuildIndex } from './index-build.ts'
import { adviseWhole, groupSections, type Migration, planMigration } from './rules/migrate.ts'

export interface MigrateRequest {
  file: string
  into?: string
  level?: number
  keep?: readonly string[]
  write?: boolean
  project?: string
}

export interface MigrateResult extends Migration {
  file: string
  /** The copy of the original; undefined in a dry run. */
  backup?: string
  indexPath?: string
}

/**
 * Splits a large instruction file into payloads, and keeps a copy of the original. Refuses before the first write. All
 * files are written, or none; then the index.
 */
export async function migrateFile(machine: Machine, request: MigrateRequest): Promise<MigrateResult> {
  const { level, keep = [] } = request
  if (level !== undefined && (level < 1 || level > 6)) throw failWith('USAGE/level', { level })
  const project = openPayloadRoot(machine, { project: request.project })
  const file = resolve(machine.cwd, request.file)
  refuseNamedLinkOut(project.root, file)
  refuseLinkOut(project.root, INDEX_IN_PROJECT)
  const original = readText(file)
  const headings = groupSections(original, level).map(({ title }) => title)
  const known = new Set(headings.map((heading) => heading.toLowerCase()))
  const unknown = keep.find((heading) => !known.has(heading.trim().toLowerCase()))
  if (unknown !== undefined) {
    const close = nearest(unknown, headings)
    const what = close ? `; did you mean "${close}"?` : ''
    throw failWith('NOTHING_TO_DO/split-keep', { unknown, what, headings: headings.filter(Boolean).join(', ') })
  }
  const present = readEntries(project)
  const planFor = (text: string) =>
    planMigration(text, {
      into: payloadFolder(project, request.into),
      level,
      keep,
      existing: (path) => {
        const there = join(project.root, path)
        if (!exists(there)) return undefined
        return isFile(there) ? readText(there) : ''
      },
      takenIds: new Set(present.entries.map(({ id }) => id)),
    })
  const migration = planFor(original)
  const isSplit = migration.payloads.length === 0
  // A migration that was killed before it built the index: the file already equals the result for its backup.
  const first = `${file}.before-loadout`
  const before = request.write && isFile(first) ? readText(first) : original
  const finished = before === original ? undefined : planFor(before)
  if (finished?.lean === original) {
    const build = rebuildIndex(machine, { project: project.root })
    if (!isSplit || build.state !== 'unchanged') return { ...finished, backup: first, file, indexPath: build.path }
  }
  if (isSplit) {
    const why = 'its sections are short, or general rules'
    throw failWith('NOTHING_TO_DO/section', { file, why, hint: adviseWhole(basename(file), original) })
  }
  if (!request.write) return { ...migration, file }
  if (hasErrors(present.findings)) {
    machine.report(...present.findings)
    return { ...migration, file }
  }
  let backup = first
  for (let attempt = 2; exists(backup); attempt++) backup = `${first}-${attempt}`
  await changeFiles(machine, { purpose: 'rules' }, (edits) => {
    const created = migration.payloads.map(({ path, text }) => ({ path: join(project.root, path), after: text }))
    for (const { path, after } of [...created.filter(({ path }) => !exists(path)), { path: backup, after: original }]) {
      edits.add({ path, project: project.root, before: undefined, after })
    }
    edits.add({ path: file, project: project.root, before: original, after: migration.lean })
  })
  const build = rebuildIndex(machine, { project: project.root })
  return { ...migration, file, backup, indexPath: build.path }
}

function payloadFolder({ root, globs }: PayloadRoot, named = '.claude/loadout'): string {
  const path = relative(root, resolve(root, named)).split(sep).join('/')
  const problem = pathProblem(path) ?? (staysInside(root, path) ? undefined : 'it is a link that leaves the project')
  if (problem !== undefined) throw failWith('PATH_ESCAPE/into', { named, problem, root })
  if (isPayloadPath(`${path}/payload.md`, globs)) return path
  throw failWith('PATH_ESCAPE/into-unread', { named, path })
}
