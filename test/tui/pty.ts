import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type IPty, spawn } from '@lydell/node-pty'
import headless from '@xterm/headless'
import { CODE_CACHE } from '../cli/run.ts'
import { pathWithAgents } from '../installed-agents.ts'
import { BOUND } from '../rights.ts'
import { CLI } from './machine.ts'

export interface StartOptions {
  home: string
  /** Default: the home folder. */
  cwd?: string
  size?: Size
  /** Besides PATH, HOME and TERM; undefined removes one. */
  env?: Record<string, string | undefined>
  args?: readonly string[]
  /** File permissions bind the program, also when the tests run as root. */
  isBound?: boolean
}

export interface Size {
  columns: number
  rows: number
}

/** How the program ended, and what it left behind. */
export interface Ending {
  /** As the shell sees it: 128 and more for a signal. */
  code: number
  /** What the program did not restore, in words. */
  leftBehind: string[]
  /** The text on the terminal afterwards. */
  text: string
}

type Wanted = string | RegExp | ((screen: string) => boolean)

// Generous: it only bounds how long a failing test takes.
const PATIENCE_MS = 100_000

/**
 * The built program in a real pseudo-terminal, under a shell that reports how it ended and whether it restored the
 * terminal's settings.
 */
const SCRIPT = `trap : INT
before=$(stty -g)
sh -c 'echo $$ >"$0"; exec "$@"' "$PID_FILE" "$@"
code=$?
if [ "$before" = "$(stty -g)" ]; then echo "DONE $code same"; else echo "DONE $code changed"; fi
read -r rest`

export class Session {
  readonly terminal: InstanceType<typeof headless.Terminal>
  readonly #pty: IPty
  readonly #folder: string
  readonly #modes = new Map<number, boolean>()
  readonly #watchers = new Set<() => void>()
  #pending = 0

  constructor({ home, cwd = home, size = { columns: 80, rows: 24 }, env, args = [], isBound }: StartOptions) {
    const { columns: cols, rows } = size
    this.#folder = mkdtempSync(join(tmpdir(), 'loadout-pty-'))
    this.terminal = new headless.Terminal({ cols, rows, allowProposedApi: true })
    for (const final of ['h', 'l']) {
      this.terminal.parser.registerCsiHandler({ prefix: '?', final }, (params) => {
        for (const mode of params.flat()) this.#modes.set(mode, final === 'h')
        return false
      })
    }
    const defaults = { PATH: pathWithAgents(), HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...CODE_CACHE }
    const merged = Object.entries({ ...defaults, PID_FILE: join(this.#folder, 'pid'), ...env })
    const words = [...(isBound ? BOUND : []), process.execPath, CLI, ...args]
    this.#pty = spawn('/bin/sh', ['-c', SCRIPT, 'sh', ...words], {
      cols,
      rows,
      cwd,
      env: Object.fromEntries(merged.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    })
    this.#pty.onData((data) => {
      this.#pending++
      this.terminal.write(data, () => {
        this.#pending--
        for (const watcher of this.#watchers) watcher()
      })
    })
  }

  /** The process of the program itself, once it has one. */
  async pid(): Promise<number> {
    return poll(() => Number(readText(join(this.#folder, 'pid'))) || undefined)
  }

  send(keys: string): void {
    this.#pty.write(keys)
  }

  resize(columns: number, rows: number): void {
    this.terminal.resize(columns, rows)
    this.#pty.resize(columns, rows)
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    process.kill(await this.pid(), signal)
  }

  /** The text on the screen, without blanks at the ends of lines. */
  screen(): string {
    const { active } = this.terminal.buffer
    return Array.from({ length: this.terminal.rows }, (_, row) => {
      return active.getLine(active.viewportY + row)?.translateToString(true) ?? ''
    }).join('\n')
  }

  isOn(mode: number): boolean {
    return this.#modes.get(mode) ?? false
  }

  /** The screen, as soon as it contains the text, matches the expression, or satisfies the function. */
  async until(wanted: Wanted, patience = PATIENCE_MS): Promise<string> {
    const holds = (screen: string) => {
      if (typeof wanted === 'string') return screen.includes(wanted)
      return typeof wanted === 'function' ? wanted(screen) : wanted.test(screen)
    }
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        this.#watchers.delete(look)
      }
      const look = () => {
        const screen = this.screen()
        if (!holds(screen)) return
        end()
        resolve(screen)
      }
      const timer = setTimeout(() => {
        end()
        reject(new Error(`never seen: ${wanted}\n${this.screen()}`))
      }, patience)
      this.#watchers.add(look)
      look()
    })
  }

  /** The screen after nothing has been written for so long. */
  async quiet(milliseconds = 250): Promise<string> {
    await new Promise<void>((resolve) => {
      let timer = setTimeout(done, milliseconds)
      const again = () => {
        clearTimeout(timer)
        timer = setTimeout(done, milliseconds)
      }
      const watchers = this.#watchers
      function done() {
        watchers.delete(again)
        resolve()
      }
      watchers.add(again)
    })
    return this.#pending === 0 ? this.screen() : this.quiet(milliseconds)
  }

  /** Waits for the program to end, and checks the terminal. */
  async ended(): Promise<Ending> {
    const text = await this.until(/^DONE \d+ \w+$/m)
    const [, code = '', settings] = /^DONE (\d+) (\w+)$/m.exec(text) ?? []
    const leftBehind = [
      this.terminal.buffer.active.type === 'alternate' && 'the alternate screen',
      this.#modes.get(25) === false && 'a hidden cursor',
      this.isOn(2004) && 'bracketed paste',
      this.isOn(2026) && 'an unfinished frame',
      settings !== 'same' && 'raw mode',
    ]
    return { code: Number(code), leftBehind: leftBehind.filter((each) => each !== false), text }
  }

  /** Ends the program if it still runs, and the terminal. */
  dispose(): void {
    try {
      process.kill(Number(readText(join(this.#folder, 'pid'))), 'SIGKILL')
    } catch {}
    this.#pty.kill('SIGKILL')
    this.terminal.dispose()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

async function poll<T>(look: () => T | undefined): Promise<T> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    const found = look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('waited in vain')
}
