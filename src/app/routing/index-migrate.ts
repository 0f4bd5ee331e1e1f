import { join, relative, resolve, sep } from 'node:path'
import { type Migration, planMigration } from '../../domain/routing/migrate.ts'
import type { Report } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { pathProblem } from '../../domain/shared/safe-path.ts'
import { isFile, readText, writeAtomically, writeNew } from '../../infra/files.ts'
import type { Machine } from '../../infra/machine.ts'
import { readEntries, rebuildIndex } from './index-build.ts'
import { openPayloadRoot, type PayloadRoot } from './payload-root.ts'

export interface MigrateRequest {
  file: string
  into?: string | undefined
  level?: number | undefined
  keep?: readonly string[] | undefined
  write?: boolean | undefined
  project?: string | undefined
}

export interface MigrateResult extends Migration {
  file: string
  /** Where the original is kept; absent in a dry run. */
  backup?: string
  indexPath?: string
}

/**
 * Splits a large instruction file into payloads. Order matters for a kill in the middle: payloads first, then a copy
 * of the original, the lean file last. Until then the original is whole, and a second run finds the same payloads.
 */
export function migrateFile(machine: Machine, request: MigrateRequest): Report<MigrateResult> {
  const project = openPayloadRoot(machine, { project: request.project })
  const file = resolve(machine.cwd, request.file)
  const original = readText(file)
  const migration = planMigration(original, {
    into: payloadFolder(project, request.into),
    level: request.level,
    keep: request.keep,
    existing: (path) => (isFile(join(project.root, path)) ? readText(join(project.root, path)) : undefined),
    takenIds: new Set(readEntries(project).entries.map(({ id }) => id)),
  })
  if (migration.payloads.length === 0) {
    throw new LoadoutError('NOTHING_TO_SPLIT', `${file} has no section worth moving out`, {
      hint: 'sections start at headings; short ones and rules for everything stay where they are (see --level)',
    })
  }
  if (!request.write) return { value: { ...migration, file }, findings: [] }
  for (const { path, text } of migration.payloads) {
    if (!isFile(join(project.root, path))) writeNew(join(project.root, path), text)
  }
  const backup = freeName(`${file}.before-loadout`)
  writeNew(backup, original)
  writeAtomically(file, migration.lean)
  const build = rebuildIndex(machine, { project: project.root })
  return { value: { ...migration, file, backup, indexPath: build.value.path }, findings: build.findings }
}

function payloadFolder({ root }: PayloadRoot, named = '.claude/loadout'): string {
  const path = relative(root, resolve(root, named)).split(sep).join('/')
  const problem = pathProblem(path)
  if (problem === undefined) return path
  throw new LoadoutError('PATH_ESCAPE', `the folder ${named} is refused: ${problem}`, {
    hint: `name one inside ${root}`,
  })
}

function freeName(path: string): string {
  for (let attempt = 1; ; attempt++) {
    const name = attempt === 1 ? path : `${path}-${attempt}`
    if (!isFile(name)) return name
  }
}
