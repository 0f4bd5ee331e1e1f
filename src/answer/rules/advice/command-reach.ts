/** The languages whose files Loadout can follow from one to the next. */
export type Language = 'javascript' | 'shell' | 'python'

/** The files of a project that a command or a script may lead to, and why that is uncertain. */
export interface Reach {
  /** Words that may name a file of the project. */
  names: string[]
  /** Words that name code. A folder, or a file outside the project, cannot be pinned. */
  code: string[]
  /** Modules without a path: part of Node, or packages. */
  modules: string[]
  problems: string[]
}

export interface CommandReach extends Reach {
  /** The language of the script; `data` when the program runs no file. */
  language: Language | 'data'
}

/** Programs that print data and run no code of a project, whatever their arguments. */
const DATA_PROGRAMS = new Set(
  'cat curl cut date echo gh glab grep head jira jq linear printf tail tea tr true uniq wc'.split(' '),
)
const GIT_READERS = new Set(
  'blame branch cat-file describe diff for-each-ref log ls-files rev-list rev-parse shortlog show status tag'.split(
    ' ',
  ),
)

interface Interpreter {
  programs: RegExp
  language: Language
  /** Options that do not affect which code runs. */
  harmless: RegExp
  /** Such options with a value, which is the next word. */
  valued: RegExp
  /** Options whose value is code. */
  loading: RegExp
}

const NEVER = /^(?!)/
const INTERPRETERS: readonly Interpreter[] = [
  {
    programs: /^node(?:js)?$/,
    language: 'javascript',
    harmless: /^--(?:no-warnings|no-deprecation|enable-source-maps|experimental-strip-types|max-old-space-size=\d+)$/,
    valued: NEVER,
    loading: /^(?:-r|--require|--import)(?:=|$)/,
  },
  {
    programs: /^(?:ba|da|k|z)?sh$/,
    language: 'shell',
    harmless: /^-[aefnuvx]+$/,
    valued: /^-[aefnuvx]*o$/,
    loading: NEVER,
  },
  {
    programs: /^python[\d.]*$/,
    language: 'python',
    harmless: /^-[BEIOSqsu]+$/,
    valued: NEVER,
    loading: NEVER,
  },
]

const NOTHING: Reach = { names: [], code: [], modules: [], problems: [] }

/**
 * Where the command of a program outside the project leads. Only a certain result has no problems: the author of a
 * hostile project chooses the command.
 */
export function readCommand(program: string, args: readonly string[]): CommandReach {
  const interpreter = INTERPRETERS.find(({ programs }) => programs.test(program))
  if (interpreter !== undefined) return readInterpreterCall(program, interpreter, args)
  const reach: CommandReach = { ...NOTHING, names: args.flatMap(wordsIn), language: 'data' }
  const isReader = DATA_PROGRAMS.has(program) || (program === 'git' && GIT_READERS.has(args[0] ?? ''))
  return isReader ? reach : { ...reach, problems: [`Loadout does not know which files ${program} runs`] }
}

function readInterpreterCall(program: string, interpreter: Interpreter, args: readonly string[]): CommandReach {
  const { language, harmless, valued, loading } = interpreter
  const reach: CommandReach = { names: [], code: [], modules: [], problems: [], language }
  let at = 0
  for (; args[at]?.startsWith('-'); at++) {
    const option = args[at] ?? ''
    if (harmless.test(option)) continue
    if (valued.test(option)) at++
    else if (loading.test(option)) {
      const value = option.includes('=') ? option.slice(option.indexOf('=') + 1) : (args[++at] ?? '')
      follow(value, reach)
    } else reach.problems.push(`Loadout cannot tell what ${program} runs with ${option}`)
  }
  if (language === 'python' && !args.slice(0, at).some((option) => /^-[A-Z]*I/i.test(option))) {
    reach.problems.push('Python imports any module beside the script: run it with -I')
  }
  const script = args[at]
  if (script === undefined) reach.problems.push(`${program} gets no script file`)
  else reach.code.push(script)
  const rest = [...args.slice(0, at), ...args.slice(at + 1)].flatMap(wordsIn)
  return { ...reach, names: [...reach.names, ...rest] }
}

/** A word, and its parts after an option or an `@`: `--config=./x`, `-f./x`, `@x`. */
function wordsIn(word: string): string[] {
  const parts = [word, word.slice(word.indexOf('=') + 1), ...word.split(/[=@,:]/)]
  return [...parts, ...(/^-\w./.test(word) ? [word.slice(2)] : [])]
}

/** Programs that load code from the files around them, so that a script that calls one may run anything. */
const RUNNERS =
  'npm|npx|pnpm|yarn|bunx?|deno|tsx|ts-node|make|gmake|just|rake|ruby|perl|php|python[\\d.]*|lua|cargo|go|gradle|mvn|docker'

const QUOTED_RUNNER = new RegExp(`['"\`](${RUNNERS})(?=['"\`\\s])`, 'g')
const COMMAND = '(?:^|[;&|({`!]|\\b(?:then|do|else|exec|env|sudo|xargs|time|nohup))\\s*'
const SHELL_RUNNER = new RegExp(`${COMMAND}(${RUNNERS})(?=[\\s;&|)]|$)`, 'gm')
const SHELL_EVAL = new RegExp(`${COMMAND}(eval|alias|trap)\\b`, 'gm')
// A script in a variable or a wildcard can be any file.
const SHELL_VARIABLE = new RegExp(
  `${COMMAND}((?:\\.|source|node|(?:ba|da|k|z)?sh)\\s+[^\\s;&|]*[$*?\`][^\\s;&|]*)`,
  'gm',
)

const LITERAL_IMPORT =
  /(?:(?<![.\w])(?:from|import)\s*|(?<![.\w])import\s*\(\s*|\brequire(?:\.resolve)?\s*\(\s*)(['"`])([^'"`\\\n$]*)\1/g
const COMPUTED_IMPORT = /\b(?:import|require(?:\.resolve)?)\s*\(\s*(?!(['"`])[^'"`\\\n$]*\1\s*[,)])/
const ESCAPED_IMPORT = /\b(?:from|import)\s*['"][^'"\n]*\\/
const RENAMED_REQUIRE = /\brequire\s*(?:[;,)\]}=]|\n\s*(?:const|let|var)\b)/
const CODE_FROM_TEXT =
  /\b(eval|Function|createRequire|dlopen|_load|_compile|runIn\w*Context|compileFunction|registerHooks)\s*\(/

/** Where a script leads. Reads comments too: a false match only costs a question. */
export function readScript(text: string, language: Language): Reach {
  const reach: Reach = { names: namesIn(text, language), code: [], modules: [], problems: [] }
  if (reach.names.length > 20_000) return { ...NOTHING, problems: ['it holds too many words to follow'] }
  if (language === 'javascript') readJavaScript(text, reach)
  else if (language === 'shell') readShell(text, reach)
  else readPython(text, reach)
  return reach
}

function readJavaScript(text: string, reach: Reach): void {
  for (const [, , specifier = ''] of text.matchAll(LITERAL_IMPORT)) follow(specifier, reach)
  if (COMPUTED_IMPORT.test(text) || ESCAPED_IMPORT.test(text) || RENAMED_REQUIRE.test(text)) {
    reach.problems.push('it imports a file whose name it computes')
  }
  const [, maker] = CODE_FROM_TEXT.exec(text) ?? []
  if (maker !== undefined) reach.problems.push(`it runs code that it makes with ${maker}()`)
  for (const [, runner] of text.matchAll(QUOTED_RUNNER)) reach.problems.push(`it calls ${runner}`)
}

function readShell(text: string, reach: Reach): void {
  for (const [, runner] of text.matchAll(SHELL_RUNNER)) reach.problems.push(`it calls ${runner}`)
  for (const [, word] of text.matchAll(SHELL_EVAL)) reach.problems.push(`it runs code that it makes with ${word}`)
  for (const [, call] of text.matchAll(SHELL_VARIABLE)) reach.problems.push(`it runs a computed file: ${call}`)
}

function readPython(text: string, reach: Reach): void {
  const [found] = /\b(?:sys\.path|importlib|runpy|__import__|(?:exec|eval|compile)\s*\()/.exec(text) ?? []
  if (found !== undefined) reach.problems.push(`it can load other code: ${found.replace(/\s*\($/, '()')}`)
  for (const [, runner] of text.matchAll(QUOTED_RUNNER)) reach.problems.push(`it calls ${runner}`)
}

function follow(specifier: string, { code, modules }: Reach): void {
  if (/^(?:\.{0,2}\/|\.{1,2}$)/.test(specifier)) code.push(specifier)
  else modules.push(specifier)
}

const WORD = /[\p{L}\p{N}_.@+~/-]+/gu

/**
 * Everything that could be the path of a file, with joined pieces combined. In a language with quoted texts a bare word
 * is an identifier, unless a text may have begun before it.
 */
function namesIn(text: string, language: Language): string[] {
  const hasLongTexts = ['`', '"""', "'''"].some((quote) => text.includes(quote))
  const quoted = language === 'shell' || hasLongTexts ? text : text.replace(/^[^'"\n]*/gm, '')
  const names = new Set([
    ...(text.match(WORD) ?? []).filter((word) => /[./]/.test(word)),
    ...(quoted.match(WORD) ?? []),
  ])
  for (const [, pieces = ''] of text.matchAll(/\b(?:join|resolve)\(([^()]*)\)/g)) {
    const literals = [...pieces.matchAll(/['"`]([^'"`]*)['"`]/g)].map(([, literal]) => literal)
    if (literals.length > 1) names.add(literals.join('/'))
  }
  // After a variable or a command that names the folder: "$DIR/lib.sh".
  for (const name of [...names]) if (name.includes('/')) names.add(name.slice(name.indexOf('/') + 1))
  return [...names].filter((name) => /[\p{L}\p{N}]/u.test(name))
}

const BY_EXTENSION: Readonly<Record<string, Language>> = {
  js: 'javascript',
  cjs: 'javascript',
  mjs: 'javascript',
  ts: 'javascript',
  cts: 'javascript',
  mts: 'javascript',
  sh: 'shell',
  bash: 'shell',
  zsh: 'shell',
  ksh: 'shell',
}

/** Files that cannot run, unless an import names them. */
const DATA = /\.(?:csv|html?|jsonl?|lock|log|md|svg|toml|tsv|txt|xml|ya?ml)$/i
/** Files in languages that cannot be followed. */
const OTHER_CODE = /\.(?:py[cw]?|rb|pl|php|lua|ps1|bat|cmd|node|so|dylib|dll|exe|wasm|jar|class)$/i

/**
 * The language of a file, `data` if nothing in it can run, undefined if Loadout cannot follow it. `parent` is the
 * language of the file that named it.
 */
export function languageOf(
  path: string,
  text: string,
  parent: Language | 'data' | undefined,
  isCode: boolean,
): Language | 'data' | undefined {
  if (parent === 'data') return 'data'
  const [, line] = /^#!(.*)/.exec(text) ?? []
  if (line !== undefined) {
    const words = line.trim().split(/[\s/]+/)
    const named = INTERPRETERS.find(({ programs }) => words.some((word) => programs.test(word)))?.language
    return named === 'python' && parent !== 'python' && !words.includes('-I') ? undefined : named
  }
  const known = BY_EXTENSION[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '']
  if (known !== undefined) return known
  if (!isCode && DATA.test(path)) return 'data'
  if (OTHER_CODE.test(path) && !(parent === 'python' && path.endsWith('.py'))) return undefined
  return parent
}
