import { createHash } from 'node:crypto'
import { accessSync, constants, lstatSync, realpathSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { isBelow, readInside, realOrNothing } from '../../machine/inside.ts'
import type { Machine } from '../../machine/machine.ts'
import { compareText } from '../../text/values.ts'
import { type Language, languageOf, type Reach, readCommand, readScript } from '../rules/advice/command-reach.ts'

/** The files of a project that a command can run. */
export interface CommandPins {
  /** The SHA-256 of each file, by its path in the project. */
  files: Readonly<Record<string, string>>
  /** Why other files may run too. A command with problems cannot be pinned. */
  problems: readonly string[]
}
const MOST_FILES = 200
/** Extensions that Node and shells add to a name. */
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.json', '.node', '.ts', '.mts', '.cts', '.sh']

/**
 * Follows a command through the files of its project. The same files give the same pins, so that a file that was
 * changed, added or removed since is a difference.
 */
export function pinCommand(machine: Machine, root: string, command: readonly string[]): CommandPins {
  return new Pinning(realpathSync(root)).pin(machine, command)
}

type Parent = Language | 'data' | undefined

class Pinning {
  private readonly root: string
  private readonly files = new Map<string, string>()
  private readonly problems = new Set<string>()

  constructor(root: string) {
    this.root = root
  }

  pin(machine: Machine, [program = '', ...args]: readonly string[]): CommandPins {
    const found = this.findProgram(machine, program)
    if (found !== undefined) {
      // The first line of a program of the project names its interpreter.
      this.followReach({ names: args, code: [found], modules: [], problems: [] }, [''], undefined)
    } else {
      const { language, ...reach } = readCommand(basename(program), args)
      this.followReach(reach, [''], language)
    }
    const files = [...this.files].sort(([a], [b]) => compareText(a, b))
    return { files: Object.fromEntries(files), problems: [...this.problems] }
  }

  /** The path of a program inside the project. */
  private findProgram({ env }: Machine, program: string): string | undefined {
    if (program.includes('/')) {
      const found = this.inProject(isAbsolute(program) ? program : join(this.root, program))
      if (found === undefined && !isAbsolute(program)) this.problems.add(`${shown(program)} leaves the project`)
      return found
    }
    const folders = (env.PATH ?? '').split(':').filter(isAbsolute)
    const place = folders.map((folder) => join(folder, program)).find(isExecutable)
    return place === undefined ? undefined : this.inProject(place)
  }

  /** A path that begins or ends in the project counts as one of the project. */
  private inProject(path: string): string | undefined {
    if (isBelow(this.root, path)) return relative(this.root, path)
    const real = realOrNothing(path)
    return real !== undefined && isBelow(this.root, real) ? relative(this.root, real) : undefined
  }

  private followReach({ names, code, modules, problems }: Reach, bases: readonly string[], parent: Parent): void {
    for (const problem of problems) this.problems.add(problem)
    for (const name of modules) {
      // A package changes with the next install.
      if (!isBuiltin(name)) this.problems.add(`it imports the package ${JSON.stringify(name)}`)
    }
    for (const word of code) this.followCode(word, bases, parent)
    for (const word of new Set(names)) {
      for (const path of this.placesOf(word, bases)) if (this.kindOf(path) === 'file') this.pinFile(path, parent, false)
    }
  }

  /** Every file that the word can mean: another file may take precedence when it appears. */
  private followCode(word: string, bases: readonly string[], parent: Parent): void {
    for (const place of this.placesOf(word, bases)) {
      for (const ending of ENDINGS) {
        const path = `${place}${ending}`
        const kind = this.kindOf(path)
        if (kind === 'file') this.pinFile(path, parent, true)
        else if (kind !== undefined) this.problems.add(`${shown(word)} is ${kind}`)
      }
    }
  }

  /** Below the project's folder: relative to each base, and for an absolute path its location. */
  private placesOf(word: string, bases: readonly string[]): string[] {
    const places = bases.map((base) => join(base, word))
    if (isAbsolute(word)) places.push(this.inProject(word) ?? word)
    // The system follows a link before `..`; Node does not.
    if (/[^/.][^/]*\/\.\.\//.test(word)) {
      for (const base of bases) {
        const folder = realOrNothing(`${this.root}/${base}/${dirname(word)}`)
        if (folder !== undefined) places.push(join(relative(this.root, folder), basename(word)))
      }
    }
    return [...new Set(places)]
  }

  private kindOf(path: string): 'file' | 'a folder' | 'a file outside the project' | 'not a regular file' | undefined {
    const full = isAbsolute(path) ? path : join(this.root, path)
    try {
      const stat = lstatSync(full, { throwIfNoEntry: false })
      if (stat === undefined) return undefined
      const real = realOrNothing(full)
      if (real === undefined) return stat.isSymbolicLink() ? 'not a regular file' : undefined
      if (!isBelow(this.root, real)) return 'a file outside the project'
      const target = stat.isSymbolicLink() ? lstatSync(real) : stat
      if (target.isDirectory()) return 'a folder'
      return target.isFile() ? 'file' : 'not a regular file'
    } catch {
      return undefined
    }
  }

  private pinFile(path: string, parent: Parent, isCode: boolean): void {
    if (this.files.has(path)) return
    if (this.files.size >= MOST_FILES) {
      this.problems.add(`it leads to more than ${MOST_FILES} files`)
      return
    }
    const { bytes, failure } = readInside(this.root, path, { most: 4 * 1024 * 1024 })
    if (bytes === undefined) {
      this.problems.add(failure.message)
      return
    }
    this.files.set(path, createHash('sha256').update(bytes).digest('hex'))
    this.followFile(path, bytes, parent, isCode)
  }

  private followFile(path: string, bytes: Buffer, parent: Parent, isCode: boolean): void {
    const text = bytes.toString('utf8')
    const language = languageOf(path, text, parent, isCode)
    if (language === 'data') return
    if (language === undefined || bytes.includes(0)) {
      this.problems.add(`Loadout cannot read what ${path} runs`)
      return
    }
    // Node searches beside the target of a link, a shell beside the project's folder.
    const beside = [dirname(path), dirname(relative(this.root, realpathSync(join(this.root, path))))]
    const { names, problems, ...imports } = readScript(text, language)
    const told = problems.map((problem) => `${path}: ${problem}`)
    this.followReach({ names, code: [], modules: [], problems: told }, [...new Set([...beside, ''])], language)
    this.followReach({ ...imports, names: [], problems: [] }, [...new Set(beside)], language)
  }
}

function shown(word: string): string {
  return word.length > 80 ? `${word.slice(0, 79)}\u2026` : word
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
