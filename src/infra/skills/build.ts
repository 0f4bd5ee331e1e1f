import { join } from 'node:path'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { getOwn, isRecord } from '../../domain/shared/record.ts'
import { DOCUMENT_FILE, type Skill } from '../../domain/skills/skill.ts'
import { readText } from '../files.ts'
import { installedDocument, openaiPolicy } from './skill-document.ts'
import {
  copyFile,
  type HashRow,
  hashContent,
  hashFile,
  hashRows,
  listTree,
  type TreeFile,
  treeProblem,
  writeTreeFile,
} from './tree.ts'

/** A skill as one agent gets it: the library's files, with those that are made for the agent. */
export interface Build {
  folder: string
  files: readonly TreeFile[]
  /** Files whose text is made, by path: they replace or add to the library's. */
  made: ReadonlyMap<string, string>
}

const LARGEST_DOCUMENT = 16 * 1024 * 1024
const CODEX_FILE = 'agents/openai.yaml'

/** What is to be installed from a folder of the library. Refuses what cannot be copied, with its path. */
export function buildFor(folder: string, skill: Skill, agent: string): Build {
  const { files } = listTree(folder)
  const problem = treeProblem(files)
  if (problem !== undefined) {
    throw new LoadoutError(problem.code, `${skill.name} cannot be installed: ${problem.message}`, {
      ...(problem.hint === undefined ? {} : { hint: problem.hint }),
    })
  }
  const made = new Map<string, string>()
  const metadata = { ...(getOwn(skill.metadata, agent) ?? {}) }
  const { policy } = metadata
  if (agent === 'codex' && isRecord(policy) && 'allow_implicit_invocation' in policy) {
    const existing = files.some(({ path }) => path === CODEX_FILE) ? readText(join(folder, CODEX_FILE)) : undefined
    made.set(CODEX_FILE, openaiPolicy(existing, policy))
    delete metadata.policy
  }
  const text = readText(join(folder, DOCUMENT_FILE), LARGEST_DOCUMENT)
  made.set(DOCUMENT_FILE, installedDocument(skill, metadata, text))
  return { folder, files, made }
}

/** Writes a build into a folder that is not there yet, and says what its content is. */
export function writeBuild({ folder, files, made }: Build, target: string): string {
  const rows: HashRow[] = []
  for (const { path, isExecutable } of files) {
    if (made.has(path)) continue
    rows.push([path, isExecutable, copyFile(join(folder, path), join(target, path), isExecutable)])
  }
  for (const [path, text] of made) rows.push([path, false, writeTreeFile(join(target, path), text, false)])
  return hashRows(rows)
}

/** The identity of the content that a build would have. */
export function hashBuild({ folder, files, made }: Build): string {
  const copied = files.filter(({ path }) => !made.has(path))
  return hashRows([
    ...copied.map((file): HashRow => [file.path, file.isExecutable, hashFile(join(folder, file.path), file)]),
    ...[...made].map(([path, text]): HashRow => [path, false, hashContent(text)]),
  ])
}
