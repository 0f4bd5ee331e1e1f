import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathWithAgents } from '../installed-agents.ts'
import { BOUND } from '../rights.ts'
import { runFolder } from '../run-folder.ts'

export const CLI = join(import.meta.dirname, '..', '..', 'dist', 'cli.cjs')

/** Where all runs keep the program's compiled code: in a new home it would be compiled anew for every run. */
export const CODE_CACHE = { NODE_COMPILE_CACHE: join(runFolder(), 'loadout-test-code') }

export interface RunOptions {
  /** Default: a new empty folder. */
  cwd?: string
  /** Default: a new empty folder. */
  home?: string
  stdin?: string | Uint8Array
  /** Besides HOME and a PATH on which all recorded agents are installed; undefined removes one. */
  env?: Record<string, string | undefined>
  /** File permissions bind the run, also when the tests run as root. */
  isBound?: boolean
  /** For `runWarm`: in a process of its own, because it may not end by itself. */
  isAlone?: boolean
}

/** A run that does not end is killed, and its code is null. */
export const MOST_MILLISECONDS = 100_000

export interface Run {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the built program, the way a person would. */
export function runLoadout(args: readonly string[], options: RunOptions = {}): Run {
  return spawn(process.execPath, [CLI, ...args], options)
}

/** Runs a line of shell in which `loadout` is the built program: for redirections and pipes. */
export function runShell(line: string, options: RunOptions = {}): Run {
  const script = `loadout() { "${process.execPath}" "${CLI}" "$@"; }; ${line}`
  return spawn('bash', ['-c', script], options)
}

function spawn(program: string, args: readonly string[], options: RunOptions): Run {
  const { cwd = makeFolder(), home = makeFolder(), stdin = '' } = options
  const [first = program, ...rest] = [...(options.isBound ? BOUND : []), program, ...args]
  const result = spawnSync(first, rest, {
    cwd,
    env: { PATH: pathWithAgents(), HOME: home, ...CODE_CACHE, ...options.env },
    input: stdin,
    timeout: MOST_MILLISECONDS,
    // A signal that the program handles would let a run that hangs end with a code of its own.
    killSignal: 'SIGKILL',
    maxBuffer: 1 << 28,
  })
  return { code: result.status, stdout: String(result.stdout), stderr: String(result.stderr) }
}

const folders: string[] = []
const ends: (() => unknown)[] = []

/**
 * Ends something together with the test file that started it. A module of helpers has no hooks of its own: it is loaded
 * once, for the first of the files that use it.
 */
export function atEnd(act: () => unknown): void {
  ends.push(act)
}

/** Called at the end of every test file. */
export async function cleanUp(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end()
  const remove = (folder: string) => rmSync(folder, { recursive: true, force: true })
  for (const folder of folders.splice(0)) {
    try {
      remove(folder)
    } catch {
      // A test has closed a folder in it.
      spawnSync('chmod', ['-R', 'u+rwX', folder])
      remove(folder)
    }
  }
}

/** A new temporary folder that anyone may read; it is removed when the test file ends. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-test-'))
  chmodSync(folder, 0o755)
  folders.push(folder)
  return folder
}

/** What stands at a path: the content of a file, or a function that makes something else there. */
export type Content = string | Uint8Array | Maker

type Maker = (path: string) => void

/** A new temporary folder with these files, named by their slash-separated paths. */
export function makeProject(files: Record<string, Content>): string {
  const folder = makeFolder()
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    if (typeof content === 'function') content(path)
    else writeFileSync(path, content)
  }
  return folder
}

export const aFolder: Maker = (path) => mkdirSync(path)
export const aPipe: Maker = (path) => void spawnSync('mkfifo', [path])
export const aLinkToItself: Maker = (path) => symlinkSync(path, path)
export const aLinkTo = (target: string): Maker => {
  return (path) => symlinkSync(target, path)
}
