import { chmodSync, lstatSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Transaction, workFolderIn } from '../../change/transaction.ts'
import { isFolder } from '../../machine/files.ts'
import { readJsonInside } from '../../machine/inside.ts'
import { failWith } from '../../text/trouble.ts'
import { compareText, isRecord, setOwn, sha256, sortedBy } from '../../text/values.ts'
import type { PluginFile } from '../rules/plugins.ts'

/** Lists the files that Loadout wrote, with digests. Loadout does not change other files in the folder. */
const RECORD = 'loadout-plugin.json'

type Sums = Record<string, string>

/** The changes to a folder of plugins. */
export interface FolderPlan {
  folder: string
  written: PluginFile[]
  removed: string[]
  unchanged: number
  after: Sums
}

/** Writes all files and their record together, or none: the next build finishes or undoes what was killed. */
export async function changeFolder(
  folder: string,
  files: readonly PluginFile[],
  isDryRun: boolean,
): Promise<FolderPlan> {
  // A log of its own in the folder, while a build writes there.
  const work = workFolderIn(folder)
  const hash = (path: string) => stateOf(folder, relative(folder, path))?.sum ?? ''
  const log = new Transaction(folder, work, join(work.path, 'log.json'), hash)
  if (isDryRun && !isFolder(log.work.path)) return planFolder(folder, files)
  return log.asOnlyWriter('plugin', async () => {
    const plan = planFolder(folder, files)
    if (!isDryRun) {
      const { written, removed, after } = plan
      if (written.length + removed.length !== 0) {
        const files = Object.fromEntries(sortedBy(Object.entries(after), ([path]) => path))
        const record = `${JSON.stringify({ written_by: 'loadout plugin build', files }, null, 2)}\n`
        await log.change([
          ...written.map(({ path, bytes, isExecutable }) => ({
            path,
            write: (stage: string) => {
              writeFileSync(stage, bytes, { flag: 'wx' })
              chmodSync(stage, isExecutable ? 0o755 : 0o644)
            },
          })),
          ...removed.map((path) => ({ path })),
          { path: RECORD, write: (stage: string) => writeFileSync(stage, record, { flag: 'wx' }) },
        ])
        for (const path of removed) removeEmpty(folder, dirname(path))
      }
    }
    return plan
  })
}

/** Throws for a file that Loadout did not write, or that was changed since. */
function planFolder(folder: string, files: readonly PluginFile[]): FolderPlan {
  const before = readRecord(folder)
  const after: Sums = {}
  for (const file of files) setOwn(after, file.path, sumOf(file))
  const stale = Object.keys(before).filter((path) => !Object.hasOwn(after, path))
  const isAsWanted = (file: PluginFile) => stateOf(folder, file.path)?.sum === sumOf(file)
  const theirs = [...files.map(({ path }) => path), ...stale].filter((path) => {
    const found = stateOf(folder, path)
    return found !== undefined && found.sum !== after[path] && found.sum !== before[path]
  })
  if (theirs.length > 0) {
    const [first = '', ...more] = theirs
    const others = more.length === 0 ? '' : ` and ${more.length} more`
    throw failWith('FILE_EXISTS/not-ours', {
      folder: join(folder, first),
      others,
      what: more.length === 0 ? 'was' : 'were',
    })
  }
  const written = files.filter((file) => !isAsWanted(file))
  const removed = stale.filter((path) => stateOf(folder, path) !== undefined).sort(compareText)
  return { folder, written, removed, unchanged: files.length - written.length, after }
}

function removeEmpty(folder: string, path: string): void {
  if (path === '.') return
  try {
    rmdirSync(join(folder, path))
  } catch {
    return
  }
  removeEmpty(folder, dirname(path))
}

function sumOf({ bytes, isExecutable }: PluginFile): string {
  return `${isExecutable ? 'x' : '-'}${sha256(bytes)}`
}

/** Undefined if nothing exists there. The digest is empty unless it is a file. */
function stateOf(folder: string, path: string): { sum: string } | undefined {
  const full = join(folder, path)
  const found = lstatSync(full, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  return {
    sum: found.isFile() ? sumOf({ path, bytes: readFileSync(full), isExecutable: (found.mode & 0o100) !== 0 }) : '',
  }
}

function readRecord(folder: string): Sums {
  const sums: Sums = {}
  if (lstatSync(join(folder, RECORD), { throwIfNoEntry: false }) === undefined) return sums
  const json = readJsonInside(folder, RECORD)
  const files = isRecord(json) && isRecord(json.files) ? json.files : {}
  for (const [path, sum] of Object.entries(files)) if (typeof sum === 'string') setOwn(sums, path, sum)
  return sums
}
