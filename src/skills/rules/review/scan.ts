import { findEncodedTexts } from '../../../text/sensitive/views.ts'
import {
  ACTING_KEYS,
  ACTS,
  type Act,
  type CapabilityKind,
  CHINESE,
  HOST_SIGNS,
  INTERPRETERS,
  LOADED_URL,
  ORDERS,
  OUTSIDE,
  SECRET_PLACES,
  START_PLACES,
  TURNING,
  URL,
  WARNING,
  WRAPPERS,
  WRITING,
} from './acts.ts'
import { findAppearance } from './appearance.ts'

/** Something that a line of a text can do. */
export interface Spot extends Pick<Act, 'kind' | 'what' | 'isAlarming'> {
  /** Counted from 1. */
  line: number
  text: string
}

/** `prose`: Markdown and other text for readers; `data`: JSON and the like; `code`: all other files. */
export type TextForm = 'prose' | 'data' | 'code'

/** Counts the work of a scan: the words and characters that it looks at. */
export interface Steps {
  count: number
}

/** A line longer than this is looked at in parts. Each overlaps the one before, so that no command is cut. */
const LONGEST_LINE = 2000
const OVERLAP = 200

/**
 * Looks through a text once, line by line and word by word: the work grows with the length of the text and with nothing
 * else. Finds what the lines can do; a line without a finding is not proven harmless.
 */
export function scanText(text: string, form: TextForm, steps: Steps = { count: 0 }): Spot[] {
  const spots: Spot[] = []
  for (const { line, text: whole, place } of logicalLines(text, form)) {
    // The marks of a merge conflict redirect nothing.
    for (const part of partsOf(whole.replace(/^(?:<{7}|>{7}|\|{7}|={7}) /, ''))) {
      steps.count += part.length
      const found = scanLine(part, place, steps)
      const seen = new Set<string>()
      for (const { kind, what, isAlarming } of found) {
        if (seen.has(kind)) continue
        seen.add(kind)
        spots.push({ kind, what, isAlarming, line, text: part })
      }
    }
  }
  steps.count += text.length
  for (const { start, end, text: decoded } of findEncodedTexts(text)) {
    steps.count += decoded.length
    if (scanLine(decoded.slice(0, LONGEST_LINE), 'shell', steps).length === 0) continue
    const line = lineAt(text, start)
    spots.push({ kind: 'runs', what: 'hides what it runs', isAlarming: true, line, text: text.slice(start, end) })
  }
  return spots
}

function lineAt(text: string, at: number): number {
  let line = 1
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line++
  return line
}

function* partsOf(line: string): Generator<string> {
  for (let from = 0; from === 0 || from < line.length - OVERLAP; from += LONGEST_LINE - OVERLAP) {
    yield line.slice(from, from + LONGEST_LINE)
  }
}

type LinePlace = 'prose' | 'code' | 'shell' | 'data'

const SHELLS = new Set(
  'bash sh zsh shell console terminal fish powershell ps1 pwsh cmd bat batch shell-session shellsession shellscript'.split(
    ' ',
  ),
)
/** A command may continue on this many lines. */
const MOST_CONTINUED = 20

/** The lines of a text, each with those that continue it, and the kind of block that it is in. */
function* logicalLines(text: string, form: TextForm): Generator<{ line: number; text: string; place: LinePlace }> {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029\u0085]/)
  let fence: { mark: string; place: LinePlace } | undefined
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1
    let whole = lines[at] ?? ''
    const mark =
      form === 'prose' ? /^[ \t>]{0,40}(?:[-*+] {1,4})?(`{3,9}|~{3,9})[ \t]{0,8}([\w!+#-]{0,20})/.exec(whole) : null
    if (mark !== null) {
      const [, ticks = '', language = ''] = mark
      if (fence === undefined) {
        fence = { mark: ticks, place: SHELLS.has(language.toLowerCase()) || language === '!' ? 'shell' : 'code' }
        if (language === '!') yield { line, text: ` !\`${whole}`, place: 'prose' }
      } else if (ticks.startsWith(fence.mark) && language === '') fence = undefined
      yield { line, text: whole, place: 'prose' }
      continue
    }
    for (
      let more = 0;
      more < MOST_CONTINUED && /[\\`^]$/.test(whole) && at + 1 < lines.length && whole.length < LONGEST_LINE;
      more++
    ) {
      if (form === 'prose' && fence === undefined) break
      whole = `${whole.slice(0, -1)} ${lines[++at] ?? ''}`
    }
    const place =
      form === 'prose' ? (fence?.place ?? (/^(?: {4}|\t)[ \t]{0,40}[^\s*+>-]/.test(whole) ? 'code' : 'prose')) : form
    yield { line, text: whole, place }
  }
}

/** A comment that gives an order, not one for a tool. */
const COMMENT =
  /<!--[^>]{0,300}\b(?:run|execute|send|ignore|agent|assistant|model|must|always|never|claude|ai|user|instead|secret|do not)\b/i

type Found = Pick<Act, 'kind' | 'what' | 'isAlarming'>

/** One line, at most `LONGEST_LINE` characters. */
function scanLine(line: string, place: LinePlace, steps: Steps): Found[] {
  if (line.trim() === '') return []
  const found: Found[] = findAppearance(line)
  const add = (kind: CapabilityKind, what: string, isAlarming = false) => found.push({ kind, what, isAlarming })
  if (line.includes('!`') && /(?:^|\s)!`[^`]/.test(line))
    add('runs', 'runs a command when an agent loads the skill', true)
  if (
    /<(?:img|iframe|link|script|object|embed|video|audio|source)\b[^>]{0,300}:\/\//i.test(line) ||
    /^ {0,3}\[[^\]]{1,100}\]:[ \t]{1,9}<?https?:\/\/\S{0,400}\?/.test(line)
  )
    add('sends', 'loads something from an address')
  if (line.includes('<!--') && COMMENT.test(line)) add('misleads', 'speaks to the model in a comment')
  if (/(?:(?:^|\s)[a-z](?=\s)){8}/i.test(line) || /(?:[2-7][0-9a-f]){20}/.test(line.replaceAll(' ', '')))
    add('misleads', 'spells a text so that a reader does not see it')
  if (line.includes('![') && /\]\([^()\s]{0,300}:\/\/[^()\s]{0,300}\?/.test(line))
    add('sends', 'loads an image with data in its address')
  const plain = plainOf(line)
  // In code these are examples of prompts, unless they stand alone.
  const head = plain.trimStart()
  if (place === 'prose' && HOST_SIGNS.some((sign) => head.startsWith(sign)))
    add('misleads', 'speaks as the host of the model', true)
  for (const [what, first, second] of CHINESE) {
    if (first.some((word) => plain.includes(word)) && second.some((word) => plain.includes(word)))
      add('misleads', what, true)
  }
  for (const { kind, what, isAlarming } of findDisguise(plain, place)) add(kind, what, isAlarming)
  const words: string[] = []
  for (const { text, isCode, before } of place === 'prose'
    ? spansOf(plain)
    : [{ text: plain, isCode: true, before: '' }]) {
    if (isCode && place === 'prose' && isWarning(before)) continue
    const tokens = tokensOf(text, steps)
    words.push(...tokens)
    const own = isCode ? (place === 'prose' ? 'shell' : place) : place
    found.push(...findActs(tokens, own, steps))
  }
  const orders = findOrders(words, steps)
  found.push(...orders.filter(({ kind }) => place === 'prose' || place === 'data' || kind === 'misleads'))
  found.push(...findPlaces(words, steps))
  return found
}

/** Without invisible characters and other forms of the same letters; in lower case. */
function plainOf(line: string): string {
  const isAscii = /^[\t\x20-\x7e]*$/.test(line)
  const read = isAscii ? line : line.normalize('NFKC').replace(/[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, '')
  return read.toLowerCase().replaceAll('\u2019', "'").replaceAll("don't", 'dont').replaceAll('do not', 'dont')
}

/** A sentence and the code in it. */
function* spansOf(line: string): Generator<{ text: string; isCode: boolean; before: string }> {
  const pieces = line.split('`')
  let before = ''
  for (const [at, piece] of pieces.entries()) {
    if (piece === '') continue
    const isCode = at % 2 === 1 && at < pieces.length - 1
    yield { text: piece, isCode, before: before.slice(-160) }
    before += isCode ? ' ' : piece
  }
}

/** Whether the words before a command warn of it, in the same sentence. */
function isWarning(before: string): boolean {
  const sentence = before.slice(before.lastIndexOf('. ') + 1).split(/[^a-z'-]+/)
  const at = sentence.findLastIndex((word) => WARNING.has(word) || word === 'dont')
  return at >= 0 && !sentence.slice(at + 1).some((word) => TURNING.has(word))
}

/** Words and the signs between them. A word of more than 200 characters is cut. */
function tokensOf(text: string, steps: Steps): string[] {
  const tokens = text.match(/[^\s|;&()<>"'`,{}[\]=!]{1,200}|\|\|?|&&?|>>?|[<;`(=]/g) ?? []
  steps.count += tokens.length
  return tokens
}

const STARTS = new Set(['|', '||', '&', '&&', ';', '`', '$', '%'])
/** Commands of which only some arguments count. */
const SUBJECTS = new Set([...ACTS.keys()].flatMap((name) => (name.includes(':') ? [name.split(':')[0] ?? ''] : [])))
/** Methods of many objects have these names; only the global functions count. */
const GLOBAL = new Set(['fetch', 'exec', 'eval'])

function findActs(tokens: readonly string[], place: LinePlace, steps: Steps): Found[] {
  const found: Found[] = []
  const isShell = place === 'shell'
  tokens.forEach((token, at) => {
    steps.count++
    const before = tokens[at - 1] ?? ';'
    const next = tokens[at + 1] ?? ''
    const isCommand =
      WRAPPERS.has(before) ||
      before.endsWith(':') ||
      (STARTS.has(before) && (place !== 'prose' || tokens[0] !== '|')) ||
      (before === '(' && (tokens[at - 2]?.endsWith('$') || tokens[at - 2] === '<')) ||
      at === 0 ||
      (tokens[at - 2] === '=' && at <= 4) ||
      (at === 1 && /^(?:[-*+$>]|\d{1,3}[.)])$/.test(before))
    const word = token
      .replaceAll('\\', '')
      .replaceAll('^', '')
      .replace(/\.(?:exe|cmd)$/, '')
    const base = word.slice(word.lastIndexOf('/') + 1)
    const last = word.slice(word.lastIndexOf('.', word.length - 2) + 1)
    const names = [word]
    // `find . -name x -delete`: what counts may be an option at the end.
    if (isCommand || SUBJECTS.has(base)) for (const each of tokens.slice(at + 1, at + 9)) names.push(`${base}:${each}`)
    if (base !== word) names.push(base)
    if (last !== word && !GLOBAL.has(last)) names.push(last)
    for (const name of names) {
      for (const { kind, what, place: needed, isAlarming } of ACTS.get(name) ?? []) {
        const isMeant =
          needed === 'text'
            ? place !== 'prose' || hasArguments(tokens, at)
            : needed === 'code'
              ? place !== 'prose' && place !== 'data' && isCall(name, next, tokens[at + 2] ?? '')
              : isCommand && (isShell || (next !== '(' && next !== '=' && hasArguments(tokens, at)))
        if (isMeant) found.push({ kind, what, isAlarming: isAlarming || word.length < token.length })
      }
    }
    if (INTERPRETERS.has(base) && isCommand && place !== 'data' && runsForeign(before, next))
      found.push({ kind: 'runs', what: 'runs what it is given', isAlarming: before === '|' })
    if (isCommand && isShell && /^\$\{?\w{1,40}\}?\$/.test(token))
      found.push({ kind: 'runs', what: 'hides what it runs', isAlarming: true })
    if (
      place === 'data' &&
      ACTING_KEYS.has(word.replace(/:$/, '')) &&
      (word.endsWith(':') || next === ':' || next === '=')
    )
      found.push({ kind: 'runs', what: 'names a command in a file of data', isAlarming: false })
  })
  return found
}

/** The name of a module counts anywhere, a function only when it is called. A path alone is an address of the project. */
function isCall(name: string, next: string, argument: string): boolean {
  if (GLOBAL.has(name)) return next === '(' && !argument.startsWith('/')
  return name.includes('.') || name.includes('_') || next === '(' || MODULES.has(name)
}

const MODULES = new Set('subprocess httpx aiohttp axios undici paramiko ftplib ctypes smtplib execa'.split(' '))

const ARGUMENT = /^(?:--?[a-z]|[/~$%.]|[a-z]:\\|[|>])|:\/\//

function hasArguments(tokens: readonly string[], at: number): boolean {
  return tokens.slice(at + 1, at + 9).some((token) => ARGUMENT.test(token))
}

/** Input from a pipe, a text as code, a file that is not a program, or one outside of the project. */
function runsForeign(before: string, next: string): boolean {
  if (before === '|') return true
  if (next === '<' || next === '-' || next === '(' || next.startsWith('$')) return true
  return (
    /\.(?:md|txt|json|ya?ml|csv|log|dat|bin|png|jpe?g|tmp)$/.test(next) ||
    OUTSIDE.some((start) => next.startsWith(start)) ||
    next.includes('://')
  )
}

function findOrders(tokens: readonly string[], steps: Steps): Found[] {
  const found: Found[] = []
  const words = tokens.map((token) =>
    token.includes('://') && token.includes('?')
      ? LOADED_URL
      : token.includes('://') || /^[\w.+-]{1,60}@[\w-]{1,60}\.[a-z]/.test(token)
        ? URL
        : token.replace(/[.:?…]{1,3}$/, ''),
  )
  words.forEach((word, at) => {
    for (const { kind, what, steps: parts } of ORDERS.get(word) ?? []) {
      let from = at
      const isWhole = parts.slice(1).every(({ words: wanted, gap }) => {
        steps.count += gap + 1
        const ahead = words
          .slice(from + 1, from + 2 + gap)
          .findIndex((each) => wanted.has(each) || (each === LOADED_URL && wanted.has(URL)))
        from += ahead + 1
        return ahead >= 0
      })
      const isOpposite =
        (word === 'without' && isNegated(words.slice(Math.max(0, at - 8), at))) ||
        // "Do not tell the user to set it" hides nothing.
        (kind === 'misleads' && /^(?:dont|never)$/.test(word) && words[from + 1] === 'to')
      if (isWhole && !isOpposite) found.push({ kind, what, isAlarming: kind === 'misleads' })
    }
  })
  return found
}

/** "Never push without asking" is the opposite of an order to act unasked. */
function isNegated(before: readonly string[]): boolean {
  return (
    before.some((word) => /^(?:never|dont|not|no|avoid|cannot)$/.test(word)) &&
    !before.some((word) => TURNING.has(word))
  )
}

function findPlaces(tokens: readonly string[], steps: Steps): Found[] {
  const found: Found[] = []
  tokens.forEach((token, at) => {
    steps.count++
    if (!/[./\\~$%]/.test(token)) return
    const path = token.replaceAll('\\', '/')
    if (SECRET_PLACES.some((part) => (part === '.env' ? /(?:^|\/)\.env$/.test(path) : path.includes(part))))
      found.push({ kind: 'asks', what: 'names a place of secrets', isAlarming: false })
    if (START_PLACES.some((part) => path.includes(part)))
      found.push({ kind: 'writes', what: 'names a file that a shell, git or an agent starts with', isAlarming: false })
    if (/^\/dev\/(?:tcp|udp)\//.test(path)) found.push({ kind: 'sends', what: 'opens a connection', isAlarming: true })
    if (
      OUTSIDE.some((start) => token.startsWith(start)) &&
      tokens.slice(Math.max(0, at - 6), at).some((each) => WRITING.has(each))
    )
      found.push({ kind: 'writes', what: 'writes outside the project', isAlarming: false })
    if (
      token.includes('://') &&
      /[?&][\w-]{1,40}$/.test(token) &&
      tokens[at + 1] === '=' &&
      /^[${<]/.test(tokens[at + 2] ?? '')
    )
      found.push({ kind: 'sends', what: 'puts data into an address', isAlarming: false })
  })
  return found
}

/** Spellings that only hide a word from a reader or a filter. */
function findDisguise(line: string, place: LinePlace): Found[] {
  if (place === 'prose' && !line.includes('`') && !line.includes('\\x')) return []
  const isHidden =
    /[a-z]"[a-z]{0,12}"[a-z]|\b[a-z]{1,4}'[a-z]{1,4}'[a-z]|[a-z]''[a-z]|(?:\\x[0-9a-f]{2}){3}|(?:\\[0-7]{3}){3}|(?:\\u[0-9a-f]{4}){3}|\$\{?ifs\b|\$\{\w{1,20}:\d/.test(
      line,
    ) ||
    (place === 'shell' && /[a-z]'[ ]?\+[ ]?'[a-z]|\$\(\$/.test(line))
  return isHidden ? [{ kind: 'runs', what: 'hides what it runs', isAlarming: true }] : []
}
