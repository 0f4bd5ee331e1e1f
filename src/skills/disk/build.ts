import { join } from 'node:path'
import { makeFolders, readText } from '../../machine/files.ts'
import { readInside } from '../../machine/inside.ts'
import { installedDocument, openaiPolicy } from '../../machine/skill-document.ts'
import { DOCUMENT_FILE } from '../../text/skill-document.ts'
import { failWith, LoadoutError } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import { metadataFor, type Skill } from '../rules/skill.ts'
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

/** A skill as one agent gets it: the files of the library, and files generated for the agent. */
export interface Build {
  folder: string
  files: readonly TreeFile[]
  /** The texts of generated files, by path: they replace files of the library, or are added. */
  made: ReadonlyMap<string, string>
}

const CODEX_FILE = 'agents/openai.yaml'

/** Builds a skill from its folder in the library. Throws for a file that cannot be copied. */
export function buildFor(folder: string, skill: Skill, agent: string): Build {
  return buildFrom(readSource(folder, skill), skill, agent)
}

/** A `buildFor` for many calls: for several agents in a row, it reads the folder of a skill only once. */
export function createBuilder(): typeof buildFor {
  let source: Source | undefined
  return (folder, skill, agent) => {
    if (source?.folder !== folder) source = readSource(folder, skill)
    return buildFrom(source, skill, agent)
  }
}

interface Source {
  folder: string
  files: readonly TreeFile[]
  text: string
  /** The installed SKILL.md, by the metadata in it. */
  documents: Map<string, string>
}

function readSource(folder: string, skill: Skill): Source {
  const { files } = listTree(folder)
  const problem = treeProblem(files)
  if (problem !== undefined) {
    throw new LoadoutError(problem.code, `${skill.name} cannot be installed: ${problem.message}`, {
      hint: problem.hint,
    })
  }
  return { folder, files, text: readText(join(folder, DOCUMENT_FILE), 16 * 1024 * 1024), documents: new Map() }
}

function buildFrom({ folder, files, text, documents }: Source, skill: Skill, agent: string): Build {
  const made = new Map<string, string>()
  const metadata = metadataFor(skill, agent)
  const { policy } = metadata
  if (agent === 'codex' && isRecord(policy) && 'allow_implicit_invocation' in policy) {
    const existing = files.some(({ path }) => path === CODEX_FILE) ? readText(join(folder, CODEX_FILE)) : undefined
    made.set(CODEX_FILE, openaiPolicy(existing, policy))
    delete metadata.policy
  }
  for (const held of skill.heldKeys ?? []) delete metadata[held]
  const key = JSON.stringify(metadata)
  const document = documents.get(key) ?? installedDocument(skill, metadata, text)
  documents.set(key, document)
  made.set(DOCUMENT_FILE, document)
  return { folder, files, made }
}

/** Writes a build into a new folder. Returns the hash and the paths of its content. */
export function writeBuild({ folder, files, made }: Build, target: string): { hash: string; paths: string[] } {
  makeFolders(target)
  const rows: HashRow[] = []
  for (const { path, isExecutable } of files) {
    if (made.has(path)) continue
    rows.push([path, isExecutable, copyFile(folder, path, `${target}/${path}`, isExecutable)])
  }
  for (const [path, text] of made) rows.push([path, false, writeTreeFile(`${target}/${path}`, text, false)])
  return { hash: hashRows(rows), paths: rows.map(([path]) => path) }
}

/** The hash of the content that `writeBuild` would write. */
export function hashBuild({ folder, files, made }: Build): string {
  const copied = files.filter(({ path }) => !made.has(path))
  return hashRows([
    ...copied.map((file): HashRow => [file.path, file.isExecutable, hashFile(folder, file)]),
    ...[...made].map(([path, text]): HashRow => [path, false, hashContent(text)]),
  ])
}

/** The maximum that a client may read of one skill. */
const MOST_FILES = 512
const MOST_BYTES = 16 * 1024 * 1024

/** One file of a build; undefined if it has no such file. */
export function readBuildFile({ folder, files, made }: Build, path: string): Uint8Array | undefined {
  const text = made.get(path)
  if (text !== undefined) return Buffer.from(text)
  if (!files.some((file) => file.path === path)) return undefined
  const { bytes, failure } = readInside(folder, path, { most: MOST_BYTES })
  if (bytes === undefined) throw failure
  return bytes
}

/** All files of a build, by path. Throws if they exceed the limits for a client. */
export function readBuild(build: Build): Record<string, Uint8Array> {
  const paths = new Set([...build.files.map(({ path }) => path), ...build.made.keys()])
  const bytes = build.files.reduce((sum, { size }) => sum + size, 0)
  if (paths.size > MOST_FILES || bytes > MOST_BYTES) {
    throw failWith('FILE_TOO_LARGE/client', { folder: build.folder, mostFiles: MOST_FILES })
  }
  return Object.fromEntries(
    [...paths].flatMap((path) => {
      const content = readBuildFile(build, path)
      return content === undefined ? [] : [[path, content]]
    }),
  )
}
