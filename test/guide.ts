import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { CLI, makeFolder } from './cli/run.ts'
import { pathWithAgents } from './installed-agents.ts'
import { NOBODY, otherUser } from './rights.ts'

/**
 * A guide is Markdown whose ```console blocks were really run. `$ ` starts a command, `laptop$ ` one on another machine,
 * and the lines after it are what it printed; `…` on a line of its own stands for lines left out. What a reader need not
 * see is a script beside this file: `<!-- run laptop$ setup shop -->` runs `test/docs/<guide>/setup.sh` with the word `shop`.
 */
interface Step {
  machine: string
  command: string
  /** The lines of the guide that show what it printed; undefined when it is not shown. */
  shown: { from: number; to: number } | undefined
}

const COMMAND = /^(\w*)\$ (.*)$/
const SCRIPT = /^<!-- run (?:(\w+)\$ )?([\w-]+)((?: [\w,-]+)*) -->$/

/** Runs a guide from top to bottom, with the scripts of a folder, and gives it back with what its commands print now. */
export async function rerunGuide(guide: string, scripts: string): Promise<string> {
  const lines = guide.split('\n')
  const steps = readSteps(lines, scripts)
  const { printed, rest } = await runSteps(steps)
  for (const [at, { shown, command }] of [...steps.entries()].reverse()) {
    const now = printed[at]
    if (now === undefined && at === printed.length) throw new Error(`${command}\n${rest}`)
    if (now === undefined || shown === undefined) continue
    const before = lines.slice(shown.from, shown.to)
    if (!isSame(before, now)) lines.splice(shown.from, shown.to - shown.from, ...now)
  }
  return lines.join('\n')
}

function readSteps(lines: readonly string[], scripts: string): Step[] {
  const steps: Step[] = []
  let isConsole = false
  for (const [at, line] of lines.entries()) {
    const [, machine = '', command] = COMMAND.exec(line) ?? []
    const [, other = '', script, words] = SCRIPT.exec(line) ?? []
    if (!isConsole && script !== undefined) {
      const file = join(scripts, `${script}.sh`)
      steps.push({ machine: other, command: `set -e; . '${file}'${words}; set +e`, shown: undefined })
    } else if (!isConsole) isConsole = line === '```console'
    else if (line === '```') isConsole = false
    else if (command !== undefined) steps.push({ machine, command, shown: { from: at + 1, to: at + 1 } })
    else {
      const shown = steps.at(-1)?.shown
      if (shown === undefined) throw new Error(`line ${at + 1} follows no command: ${line}`)
      shown.to = at + 1
    }
  }
  return steps
}

const END = '\u001e'

/** Runs all in one shell, so that a folder that is entered stays entered. `rest` is the output of the step that ended it. */
async function runSteps(steps: readonly Step[]): Promise<{ printed: string[][]; rest: string }> {
  const root = realpathSync(makeFolder())
  const script: string[] = []
  let current: string | undefined
  for (const { machine, command } of steps) {
    const home = join(root, machine || 'home')
    mkdirSync(home, { recursive: true })
    if (machine !== current) script.push(`export HOME='${home}'; cd`)
    current = machine
    script.push(`{ ${command}`, '} 2>&1', `code=$?; printf '\\n${END}'; (exit $code)`)
  }
  const output = await runBash(root, script.join('\n'))
  const text = output.replaceAll(new RegExp(`${root}/(?!git/)\\w+`, 'g'), '~').replaceAll(`${root}/git/`, ADDRESS)
  const outputs = text.split(END)
  const rest = outputs.pop() ?? ''
  return { printed: outputs.map((lines) => lines.replace(/\n?\n$/, '').split('\n')), rest }
}

/** Where the guides say that repositories are; here it is a folder. */
const ADDRESS = 'https://git.example.com/'

/** The compiled code of the program, for all guides. */
const CODE = makeFolder()

function runBash(root: string, script: string): Promise<string> {
  const [file, config] = [join(root, 'guide.sh'), join(root, 'gitconfig')]
  writeFileSync(file, script)
  const settings = `[user]\nname = guide\nemail = guide@example.com\n[init]\ndefaultBranch = main\n`
  writeFileSync(config, `${settings}[url "${root}/git/"]\ninsteadOf = ${ADDRESS}\n`)
  const git = { GIT_CONFIG_GLOBAL: config, GIT_CONFIG_NOSYSTEM: '1', GIT: join(root, 'git') }
  // The same commits have the same ids.
  const dates = { GIT_AUTHOR_DATE: '2026-01-05T09:00:00Z', GIT_COMMITTER_DATE: '2026-01-05T09:00:00Z' }
  const bin = join(root, 'bin')
  mkdirSync(bin)
  symlinkSync(CLI, join(bin, 'loadout'))
  const path = [bin, dirname(process.execPath), pathWithAgents()].join(delimiter)
  const env = { PATH: path, LC_ALL: 'C.UTF-8', NODE_COMPILE_CACHE: CODE, ...git, ...dates }
  // A guide starts PostgreSQL, which refuses to run as root.
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, root, CODE])
  const [program = '', ...words] = [...otherUser(NOBODY), 'bash', file]
  const child = spawn(program, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((settle, fail) => {
    const parts: Buffer[] = []
    child.stdout.on('data', (part: Buffer) => parts.push(part))
    child.once('error', fail)
    child.once('close', () => settle(Buffer.concat(parts).toString()))
  })
}

/**
 * Whether a guide shows what was printed, apart from what differs with every run. Words are compared, not lines: where
 * lines break and how wide columns are depends on the paths of the machine.
 */
function isSame(shown: readonly string[], printed: readonly string[]): boolean {
  const parts = shown.join('\n').split(/^…$/m).map(wordsOf)
  const now = wordsOf(printed.join('\n'))
  const [first = [], ...others] = parts
  if (others.length === 0) return first.length === now.length && startsWith(now, 0, first)
  const last = others.pop() ?? []
  let at = startsWith(now, 0, first) ? first.length : Number.POSITIVE_INFINITY
  for (const part of others) {
    while (at <= now.length && !startsWith(now, at, part)) at++
    at += part.length
  }
  return at <= now.length - last.length && startsWith(now, now.length - last.length, last)
}

function startsWith(words: readonly string[], at: number, part: readonly string[]): boolean {
  return part.every((word, index) => words[at + index] === word)
}

/** Without ids, times, days and versions. */
function wordsOf(text: string): string[] {
  const steady = text
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/\b\d{4}-\d\d-\d\dT\d\d\b/g, '<hour>')
    .replace(/\b\d{4}-\d\d-\d\d\b/g, '<day>')
    .replace(/\b(?=[a-f]*\d)[0-9a-f]{7,64}\b/g, '<id>')
    .replace(/\bversion \d[\d.]*/g, 'version <n>')
  return steady.split(/\s+/).filter((word) => word !== '')
}
