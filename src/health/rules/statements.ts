import { attempt } from '../../text/values.ts'
/** Something that a text says about its project, and that the project can confirm or deny. */
export interface Statement {
  kind: 'path' | 'link' | 'script' | 'target' | 'recipe' | 'version' | 'symbol'
  /** What is named: a path, a script, a target, `node`. */
  name: string
  /** The stated version. */
  version?: string
  line: number
  /** The text may speak of something that is not there yet, or of an example. */
  isHedged: boolean
  /** The sentence may say that it is not there, or that a program makes it. */
  mayBeAbsent?: boolean
}
const FENCE = /^\s{0,3}(`{3,}|~{3,})\s*([\w+-]*)/
const SHELL = new Set(['', 'bash', 'sh', 'shell', 'zsh', 'console', 'shell-session'])
const SPAN = /(`+)([^`]+)\1/g
const LINK = /\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g
const IMPORT = /(?:^|\s)@((?:\.{1,2}\/)?[\w.-]+(?:\/[\w.-]+)*\.md)\b/g
/** Words that make a sentence about an example, a plan, a rule for new files, or something that must not be there. */
const HEDGES =
  /\b(?:create[sd]?|creating|add(?:s|ed|ing)?|new|e\.?g\.?|for example|examples?|such as|like|similar|generat\w*|output\w*|writes?|written|will|would|could|should|may|might|if|when|unless|option\w*|temp\w*|never|not|no|don't|doesn't|without|instead|avoid|rename\w*|moved?|remov\w*|delet\w*|legacy|deprecated|former\w*|old|was|were|your|their|any|each|every|per|named?|naming|pattern|placeholder|template|upstream|external|other|another|sibling|clone|copy|cp|mv|touch|mkdir|artifacts?|logs?|cache[ds]?|local|secrets?|ignored?|future|todo|planned|plan)\b/i
/** Of these, the words of a sentence that stays true without the file. */
const ABSENT =
  /\b(?:never|not?|don't|doesn't|without|avoid|instead|remov\w*|delet\w*|generat\w*|output\w*|ignored?|artifacts?|cache[ds]?)\b/i
const OTHER_SCRIPT = /[^\p{Script=Latin}\p{Script=Common}]/u

/** The statements of a Markdown text, outside of code blocks; of shell blocks only the commands. */
export function statementsIn(text: string): Statement[] {
  const found: Statement[] = []
  let fence: { mark: string; isShell: boolean } | undefined
  let isElsewhere = false
  const lines = text.split(/\r?\n/)
  lines.forEach((raw, at) => {
    const body = raw.slice(0, 4_000)
    const line = at + 1
    const [, mark, language = ''] = FENCE.exec(body) ?? []
    if (fence === undefined && mark !== undefined) {
      fence = { mark, isShell: SHELL.has(language.toLowerCase()) }
      isElsewhere = false
      return
    }
    if (fence !== undefined) {
      if (mark?.startsWith(fence.mark) && language === '') fence = undefined
      // Behind `cd` or `git clone` the commands are those of another folder.
      else if (/^\s*\$?\s*(?:cd|pushd|git clone)\s/.test(body)) isElsewhere = true
      else if (fence.isShell && !isElsewhere) found.push(...commandsIn(body.replace(/^\s*[$>]\s+/, ''), line, false))
      return
    }
    const isHedged = HEDGES.test(body) || OTHER_SCRIPT.test(body)
    for (const [, , span = ''] of body.matchAll(SPAN)) {
      const commands = commandsIn(span, line, isHedged)
      found.push(...commands)
      if (commands.length === 0) found.push(...pathOf(span, line, isHedged), ...symbolOf(span, line))
    }
    if (ABSENT.test(body)) for (const each of found) if (each.line === line) each.mayBeAbsent = true
    const plain = body.replace(SPAN, (whole) => ' '.repeat(whole.length))
    for (const [, target = ''] of plain.matchAll(LINK)) found.push(...linkOf(target, line))
    for (const [, target = ''] of plain.matchAll(IMPORT))
      found.push({ kind: 'link', name: target, line, isHedged: false })
    found.push(...versionsIn(plain, line))
  })
  return found
}

/** Scripts, targets and files that a command runs. */
function commandsIn(command: string, line: number, isHedged: boolean): Statement[] {
  const found: Statement[] = []
  for (const part of command.split(/&&|\|\||[;|]|\s#\s.*/)) {
    const words = part.trim().split(/\s+/)
    while (/^[A-Z_][A-Z0-9_]*=/.test(words[0] ?? '')) words.shift()
    const [program = '', first = '', second = ''] = words
    if (/[<>{}[\]$*?()"'\\]|\.\.\./.test(`${first} ${second}`)) continue
    const add = (kind: Statement['kind'], name: string) => {
      if (/^[\w@][\w:.@/-]*$/.test(name)) found.push({ kind, name, line, isHedged })
    }
    const runs = program === 'npm' || program === 'pnpm'
    if (runs && (first === 'run' || first === 'run-script') && !second.startsWith('-')) add('script', second)
    else if (program === 'npm' && (first === 'test' || first === 't')) add('script', 'test')
    else if (program === 'make' && first !== '' && !words.some((word) => word.startsWith('-'))) {
      for (const word of words.slice(1)) if (!word.includes('=')) add('target', word)
    } else if (program === 'just' && first !== '' && !first.startsWith('-')) add('recipe', first)
    else if (/^(?:node|python3?|bash|sh|tsx|ruby|deno|bun)$/.test(program)) found.push(...pathOf(first, line, isHedged))
    // `scripts/` begins a line of a tree of folders.
    else if (/\/[^/]/.test(program)) found.push(...pathOf(program, line, isHedged))
  }
  return found
}

const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,9}$/

/** A path with a folder and an extension, or a folder that ends in a slash; without anything that a reader fills in. */
function pathOf(span: string, line: number, isHedged: boolean): Statement[] {
  const name = span
    .trim()
    .replace(/^\.\//, '')
    .replace(/(?::\d+(?:[-:]\d+)?|#L?\d+(?:-L?\d+)?)$/, '')
  if (!/^(?:\.?[\w@+-][\w@.+-]*\/)+(?:\.?[\w@+-][\w@.+-]*)?$/.test(name)) return []
  if (
    /(?:^|\/)(?:foo|bar|baz|filename|example|your|my|path|some|xxx|x|y|node_modules|dist|build|target|out|tmp|vendor|coverage)[\w-]*(?:\/|\.|$)/i.test(
      name,
    )
  )
    return []
  if (/YYYY|XXX|NNN/.test(name)) return []
  // `owner/repo`, `either/or`, `application/json`: without an extension or a last slash it may be anything.
  if (!name.endsWith('/') && !EXTENSION.test(name)) return []
  // A host, or a module of Go or Python on the network.
  if (/^[\w-]+\.(?:com|org|io|dev|net|ai|sh|app|in|co|gg|so)\//.test(name)) return []
  return [{ kind: 'path', name, line, isHedged }]
}

function linkOf(target: string, line: number): Statement[] {
  const [path = ''] = target.split(/[#?]/)
  if (path === '' || /^[a-z][a-z0-9+.-]*:|^\/|^~|[<>{}$*|\\]/i.test(path)) return []
  if (!EXTENSION.test(path) && !path.endsWith('/')) return []
  return [{ kind: 'link', name: decoded(path), line, isHedged: false }]
}

function decoded(path: string): string {
  return attempt(() => decodeURIComponent(path), path)
}

/** `resolveLayers()`, `HookHost`: only names that are not words by accident. */
function symbolOf(span: string, line: number): Statement[] {
  const [, name = '', call] = /^([A-Za-z_]\w{5,59})(\(\))?$/.exec(span) ?? []
  const isName = /[a-z][A-Z]/.test(name) || (call !== undefined && /^[a-z]+(?:_[a-z]+)+$/.test(name))
  return isName ? [{ kind: 'symbol', name, line, isHedged: true }] : []
}

const VERSION =
  /\b(?:use|uses|using|requires?|required|needs?|runs? on|on|install|targets?|version:?)\s+(?:at least\s+)?(Node(?:\.?js)?|Python|Go|Golang)\s*(?:version\s*)?(?:>=\s*|≥\s*|v)?(\d+(?:\.\d+)?)\b(?!\s*(?:and|or|\/|,)\s*\d)/gi
const RANGE =
  /\b(?:drop\w*|before|below|older|under|less|until|not|no longer|tests?|matrix|ci|support\w*|compat\w*|from)\b/i

function versionsIn(plain: string, line: number): Statement[] {
  if (RANGE.test(plain)) return []
  return [...plain.matchAll(VERSION)].map(([, program = '', version = '']) => ({
    kind: 'version',
    name: program
      .toLowerCase()
      .replace(/\.?js$/, '')
      .replace('golang', 'go'),
    version,
    line,
    isHedged: false,
  }))
}

/** What a project has, at one moment. */
export interface ProjectFacts {
  files: ReadonlySet<string>
  /** With all folders above them, each with a slash at its end. */
  folders: ReadonlySet<string>
  /** Undefined if no package.json is there. */
  scripts: ReadonlySet<string> | undefined
  /** Undefined if they cannot be known: no file, or rules that make them. */
  targets: ReadonlySet<string> | undefined
  recipes: ReadonlySet<string> | undefined
  /** The least version of each program. */
  least: Readonly<Record<string, { version: string; from: string }>>
}

/** The least of a range such as `>=22`, `^20.1`, `22.x`; undefined for one with alternatives. */
export function leastOf(range: string): string | undefined {
  return /^\s*(?:>=|\^|~|=|v)?\s*v?(\d+(?:\.\d+)?)[\w.]*\s*(?:,?\s*<\s*[\d.]+\s*)?$/.exec(range)?.[1]
}

/** The targets of a Makefile; undefined if rules make more of them. */
export function targetsOf(makefile: string): string[] | undefined {
  if (/^-?include\s|^\s*\$\((?:eval|call|foreach)|^[^#\t=:]*[%$][^=:]*:(?!=)/m.test(makefile)) return undefined
  return [...makefile.matchAll(/^([A-Za-z0-9_./ -]+?)\s*::?(?![=:])/gm)].flatMap(([, names = '']) =>
    names.trim().split(/\s+/),
  )
}

export function recipesOf(justfile: string): string[] | undefined {
  if (/^(?:import|mod)\??\s/m.test(justfile)) return undefined
  const recipes = justfile.matchAll(/^@?([A-Za-z_][\w-]*)(?:\s+[^:=\n]*)?:(?!=)/gm)
  const aliases = justfile.matchAll(/^alias\s+([\w-]+)\s*:=/gm)
  return [...recipes, ...aliases].map(([, name = '']) => name)
}

type Verdict = 'true' | 'false' | 'unknown'

/** Whether the project has what a statement names. `folder`: of the file that says so, with a slash or empty. */
export function judge({ kind, name, version = '' }: Statement, facts: ProjectFacts, folder: string): Verdict {
  const among = (names: ReadonlySet<string> | undefined) =>
    names === undefined ? 'unknown' : names.has(name) ? 'true' : 'false'
  switch (kind) {
    case 'script':
      return among(facts.scripts)
    case 'target':
      return facts.targets === undefined
        ? 'unknown'
        : facts.targets.has(name) || facts.files.has(name)
          ? 'true'
          : 'false'
    case 'recipe':
      return among(facts.recipes)
    case 'version': {
      const least = facts.least[name]
      return least === undefined ? 'unknown' : isLower(version, least.version) ? 'false' : 'true'
    }
    case 'symbol':
      return 'unknown'
    case 'link':
      return [folder, ''].some((base) => hasPath(facts, joined(base, name))) ? 'true' : 'false'
    case 'path': {
      const bases = [folder, ...parents(folder), '']
      if (bases.some((base) => hasPath(facts, joined(base, name)))) return 'true'
      // Named without the folders above it.
      const end = `/${name}`
      for (const path of name.endsWith('/') ? facts.folders : facts.files) if (path.endsWith(end)) return 'true'
      return 'false'
    }
  }
}

function hasPath({ files, folders }: ProjectFacts, path: string): boolean {
  return files.has(path) || folders.has(path.endsWith('/') ? path : `${path}/`)
}

function parents(folder: string): string[] {
  const parts = folder.split('/').filter((part) => part !== '')
  return parts.map((_, at) =>
    parts
      .slice(0, at)
      .map((part) => `${part}/`)
      .join(''),
  )
}

/** Resolves `..` and `.`; a path that leaves the project becomes empty, which every project has. */
export function joined(base: string, path: string): string {
  const parts: string[] = []
  for (const part of `${base}${path}`.split('/')) {
    if (part === '.' || part === '') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return ''
  }
  return parts.length === 0 ? '' : `${parts.join('/')}${path.endsWith('/') ? '/' : ''}`
}

function isLower(stated: string, least: string): boolean {
  const [major = 0, minor] = stated.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number)
  return major < leastMajor || (major === leastMajor && minor !== undefined && minor < leastMinor)
}
