import { findEncodedTexts } from '../../../text/sensitive/matching.ts'
import {
  ACTING,
  ACTING_KEYS,
  ACTS,
  type Act,
  type CapabilityKind,
  FOREIGN,
  HOST_SIGNS,
  INSTALL_OPTIONS,
  INSTALLS,
  INTERPRETERS,
  KNOWN_TOOLS,
  LOADED_URL,
  LOCAL_RUNNERS,
  ORDERS,
  OUTSIDE,
  RUNNERS,
  SECRET_PLACES,
  START_PLACES,
  TURNING,
  UNASKED,
  URL,
  WARNING,
  WRAPPERS,
  WRITING,
} from './acts.ts'

/** Something that a line of a text can do. */
export interface Spot extends Pick<Act, 'kind' | 'what' | 'isAlarming' | 'isUsual'> {
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
  /** A sample of code that uses the network is usual, but not beside something that it could send. */
  const samples = new Map<number, Spot[]>()
  const feeding = new Set<number>()
  for (const { line, text: whole, place, block } of logicalLines(text, form)) {
    // The marks of a merge conflict redirect nothing.
    for (const part of partsOf(whole.replace(/^(?:<{7}|>{7}|\|{7}|={7}) /, ''))) {
      steps.count += part.length
      if (FEED.test(part)) feeding.add(block)
      const worst = new Map<CapabilityKind, Found>()
      for (const found of scanLine(part, place, steps)) {
        const before = worst.get(found.kind)
        if (before === undefined || (before.isUsual && !found.isUsual)) worst.set(found.kind, found)
      }
      for (const found of worst.values()) {
        const spot = { ...found, line, text: part }
        spots.push(spot)
        if (found.what === 'uses the network from a program' && place === 'code') {
          const before = samples.get(block)
          if (before === undefined) samples.set(block, [spot])
          else before.push(spot)
        }
      }
    }
  }
  for (const [block, found] of samples) for (const spot of found) spot.isUsual = form === 'prose' && !feeding.has(block)
  steps.count += text.length
  let [line, from] = [1, 0]
  for (const { start, end, text: decoded } of findEncodedTexts(text).sort((a, b) => a.start - b.start)) {
    steps.count += decoded.length
    if (scanLine(decoded.slice(0, LONGEST_LINE), 'shell', steps).every(({ isUsual }) => isUsual)) continue
    steps.count += Math.max(0, start - from)
    for (; from < start; from++) if (text.charCodeAt(from) === 10) line++
    spots.push({ kind: 'runs', what: 'hides what it runs', isAlarming: true, line, text: text.slice(start, end) })
  }
  return spots
}

const FEED =
  /environ|process\.env|getenv|secret|password|\bopen\(|read(?:file|_text|lines?|sync)|homedir|~\/|\$home|history|cookie/i

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
/** The lines of a text, each with those that continue it, and the kind of block that it is in. */
function* logicalLines(
  text: string,
  form: TextForm,
): Generator<{ line: number; text: string; place: LinePlace; block: number }> {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029\u0085]/)
  let fence: { mark: string; place: LinePlace; block: number } | undefined
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1
    let whole = lines[at] ?? ''
    const mark =
      form === 'prose' ? /^[ \t>]{0,40}(?:[-*+] {1,4})?(`{3,9}|~{3,9})[ \t]{0,8}([\w!+#-]{0,20})/.exec(whole) : null
    if (mark !== null) {
      const [, ticks = '', language = ''] = mark
      if (fence === undefined) {
        const isShell = SHELLS.has(language.toLowerCase()) || language === '!'
        fence = { mark: ticks, place: isShell ? 'shell' : 'code', block: line }
        if (language === '!') yield { line, text: ` !\`${whole}`, place: 'prose', block: line }
      } else if (ticks.startsWith(fence.mark) && language === '') fence = undefined
      yield { line, text: whole, place: 'prose', block: line }
      continue
    }
    // A command may continue on this many lines.
    for (
      let more = 0;
      more < 20 && /[\\`^]$/.test(whole) && at + 1 < lines.length && whole.length < LONGEST_LINE;
      more++
    ) {
      if (form === 'prose' && fence === undefined) break
      whole = `${whole.slice(0, -1)} ${lines[++at] ?? ''}`
    }
    const place =
      form === 'prose' ? (fence?.place ?? (/^(?: {4}|\t)[ \t]{0,40}[^\s*+>-]/.test(whole) ? 'code' : 'prose')) : form
    yield { line, text: whole, place, block: fence?.block ?? line }
  }
}

/** A comment that gives an order, not one for a tool. */
const COMMENT =
  /<!--[^>]{0,300}\b(?:run|execute|send|ignore|agent(?![-/])|assistant|model|must|claude|ai|user|secret|do not(?! edit| modify| change| remove))\b/i

const LINK = /^[ \t]{0,40}[-*+] {1,4}\[[^\]]{1,120}\]\(https?:[^)\s]{1,300}\)/

type Found = Pick<Act, 'kind' | 'what' | 'isAlarming' | 'isUsual'>

/** One line, at most `LONGEST_LINE` characters. */
function scanLine(line: string, place: LinePlace, steps: Steps): Found[] {
  if (line.trim() === '') return []
  const found: Found[] = findAppearance(line)
  const add = (kind: CapabilityKind, what: string, isAlarming = false) => found.push({ kind, what, isAlarming })
  if (line.includes('!`') && /(?:^|\s)!`[^`]/.test(line))
    add('runs', 'runs a command when an agent loads the skill', true)
  if (
    (place !== 'code' && /<(?:img|iframe|link|script|object|embed|video|audio|source)\b[^>]{0,300}:\/\//i.test(line)) ||
    /^ {0,3}\[[^\]]{1,100}\]:[ \t]{1,9}<?https?:\/\/\S{0,400}\?/.test(line)
  )
    add('sends', 'loads something from an address')
  if (line.includes('<!--') && COMMENT.test(line)) add('misleads', 'speaks to the model in a comment')
  if (/(?:(?:^|\s)[a-z](?=\s)){8}/i.test(line) || /(?:[2-7][0-9a-f]){20}/.test(line.replaceAll(' ', '')))
    add('misleads', 'spells a text so that a reader does not see it')
  if (line.includes('![') && /\]\([^()\s]{0,300}:\/\/[^()\s]{0,300}\?/.test(line))
    add('sends', 'loads an image with data in its address')
  // A list of links names what others wrote.
  const plain = plainOf(place === 'prose' ? line.replace(LINK, '') : line)
  // In code these are examples of prompts, unless they stand alone.
  const head = plain.trimStart()
  if (place === 'prose' && HOST_SIGNS.some((sign) => head.startsWith(sign)))
    add('misleads', 'speaks as the host of the model', true)
  for (const [what, first, second] of FOREIGN) {
    if (first.some((word) => plain.includes(word)) && second.some((word) => plain.includes(word)))
      add('misleads', what, true)
  }
  for (const { kind, what, isAlarming } of findDisguise(plain, place)) add(kind, what, isAlarming)
  const words: string[] = []
  for (const { text, isCode, before, after } of place === 'prose'
    ? spansOf(plain)
    : [{ text: plain, isCode: true, before: '', after: '' }]) {
    if (isCode && place === 'prose' && isWarning(before, after)) continue
    // Words and the signs between them. A word of more than 200 characters is cut.
    const tokens = text.match(/[^\s|;&()<>"'`,{}[\]=!]{1,200}|\|\|?|&&?|>>?|[<;`(=]/g) ?? []
    steps.count += tokens.length
    words.push(...tokens)
    // A word alone is a name, unless the sentence says to run it.
    if (
      isCode &&
      place === 'prose' &&
      tokens.length === 1 &&
      !/\b(?:run|execute|call|start|type|enter)\W{0,9}$/.test(before)
    )
      continue
    const own = isCode ? (place === 'prose' ? 'shell' : place) : place
    found.push(...findActs(tokens, own, steps))
  }
  const orders = findOrders(words, steps)
  found.push(...orders.filter(({ kind }) => place === 'prose' || place === 'data' || kind === 'misleads'))
  found.push(...findPlaces(words, place, steps))
  return found
}

/** Without invisible characters and other forms of the same letters; in lower case. */
function plainOf(line: string): string {
  const isAscii = /^[\t\x20-\x7e]*$/.test(line)
  const read = isAscii ? line : line.normalize('NFKC').replace(/[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, '')
  // The cells of a table are not a pipe, and neither are the choices of an argument.
  const cells = /^[ \t]{0,40}\|.*\|[ \t]{0,40}$/.test(read)
    ? read.replaceAll('\\|', '\u0000').replaceAll('|', ' ; ').replaceAll('\u0000', '|')
    : read
        .replace(/[{[][\w-]{1,30}(?:\|[\w-]{1,30}){1,20}[}\]]|[-=.]>\|[^|]{0,80}\|/g, ' ')
        // Neither are the choices of a pattern that is searched for, and a call without arguments runs nothing.
        .replace(
          /(?:^|[|;&($\x60]) {0,9}(?:e?grep|rg) [^|;&"'\x60]{0,80}(["'])[\w\\^(.][^"'$\x60;&<>]{0,300}\1/g,
          (search) => search.replaceAll('|', ' '),
        )
        .replace(/(?<![\w.])(eval|exec|fetch)\(\)/g, '$1')
  return cells.toLowerCase().replaceAll('\u2019', "'").replaceAll("don't", 'dont').replaceAll('do not', 'dont')
}

/** A sentence and the code in it. */
function* spansOf(line: string): Generator<{ text: string; isCode: boolean; before: string; after: string }> {
  const pieces = line.split('`')
  let before = ''
  for (const [at, piece] of pieces.entries()) {
    if (piece === '') continue
    const isCode = at % 2 === 1 && at < pieces.length - 1
    yield { text: piece, isCode, before: before.slice(-160), after: (pieces[at + 1] ?? '').slice(0, 40) }
    before += isCode ? ' ' : piece
  }
}

/** Whether the words before a command warn of it, in the same sentence: "to avoid trouble run it" does not. */
function isWarning(before: string, after: string): boolean {
  const sentence = before.slice(before.lastIndexOf('. ') + 1).split(/[^a-z'-]+/)
  const at = sentence.findLastIndex((word) => WARNING.has(word) || word === 'dont')
  if (at < 0 || /^\W{0,9}(?:unless|until|except|without|but|if|before|first)\b/.test(after)) return false
  const rest = sentence.slice(at + 1)
  const verb = rest.findIndex((word) => /^(?:run|execute|use|do|type|call|start)$/.test(word))
  const isNegation = /^(?:never|dont|not)$/.test(sentence[at] ?? '')
  return verb <= (isNegation ? 3 : -1) && !rest.some((word) => TURNING.has(word))
}

const STARTS = new Set(['|', '||', '&', '&&', ';', '`', '$', '%'])
/** Words of other languages too: outside of a shell they need an argument that only a command has. */
const WORDS_TOO = new Set('service sc del rd erase reg mount kill http https mail nc rev'.split(' '))
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
      (tokens[at - 2] === '=' && at <= 24) ||
      (before === '-m' && /^python/.test(tokens[at - 2] ?? '')) ||
      (at === 1 && /^(?:[-*+$>]|\d{1,3}[.)])$/.test(before))
    const word = (token.startsWith('--') ? token.replace(/[.:?]$/, '') : token)
      .replaceAll('\\', '')
      .replaceAll('^', '')
      .replace(/\.(?:exe|cmd)$/, '')
    const base = word.slice(word.lastIndexOf('/') + 1)
    const last = word.slice(word.lastIndexOf('.', word.length - 2) + 1)
    const names = [word]
    if (isCommand) for (const each of subcommands(tokens, at, base)) names.push(`${base}:${each}`)
    if (base !== word) names.push(base)
    if (last !== word && !GLOBAL.has(last)) names.push(last)
    for (const name of names) {
      for (const { kind, what, place: needed, isAlarming, isUsual } of ACTS.get(name) ?? []) {
        const isMethod = name === last && last !== base
        if (needed === 'text' && /^(?:man|which|-v|type)$/.test(before)) continue
        if (isMethod && (needed === 'command' || what === 'changes rights or settings of the machine')) continue
        const isMeant =
          needed === 'text'
            ? isShell ||
              place === 'data' ||
              word.startsWith('--') ||
              hasArguments(tokens, at) ||
              (place === 'code' && (isCommand || isMethod || next === '('))
            : needed === 'code'
              ? place !== 'prose' && place !== 'data' && isCall(name, next, tokens[at + 2] ?? '')
              : isCommand &&
                (isShell
                  ? base !== 'rm' || tokens.slice(at + 1).some((each) => !each.startsWith('-'))
                  : next !== '(' &&
                    next !== '=' &&
                    (WORDS_TOO.has(base) ? /^(?:-[\w-]|\/\w|~\/|[a-z]:\\)/.test(next) : hasArguments(tokens, at)))
        if (!isMeant) continue
        const isHidden = word.length < token.length
        // In a sample of code only `eval` and `exec` run what a reader does not see.
        const isSample = place === 'code' && what === 'runs text as code' && !GLOBAL.has(name)
        const isPlain = isUsual || isSample || isUsualCommand(tokens, at, base, kind)
        found.push({ kind, what, isAlarming: isAlarming || isHidden, isUsual: isPlain && !isHidden })
      }
    }
    const isRunning =
      next === '(' ? isShell || /^i(?:ex|nvoke)/.test(base) : runsForeign(before, tokens.slice(at + 1, at + 5))
    if (INTERPRETERS.has(base) && isCommand && place !== 'data' && isRunning)
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

const ARGUMENT = /^(?:--?[a-z]|[/~$%.].|[a-z]:\\|[|>])|:\/\//

function hasArguments(tokens: readonly string[], at: number): boolean {
  return tokens.slice(at + 1, at + 9).some((token) => ARGUMENT.test(token))
}

/** The options of a command and its subcommand. A word after an option may be its value. */
function* subcommands(tokens: readonly string[], at: number, base: string): Generator<string> {
  let isFound = false
  for (let next = at + 1; next < Math.min(tokens.length, at + 9); next++) {
    const each = tokens[next] ?? ''
    const isOption = /^[-/]/.test(each)
    if (isOption || !isFound || base === 'awk') yield each
    if (!isOption && !/^[-/]/.test(tokens[next - 1] ?? '')) isFound = true
  }
}

// One name of a package with its version, as the usual registry of its language has it: no address, no path.
const PACKAGE =
  /^(?:@[a-z0-9][\w.-]{0,60}\/)?[a-z0-9][\w.+*-]{0,80}~?(?:@[\w.^~*-]{1,40})?$|^\.$|^(?:github\.com|golang\.org|google\.golang\.org|gopkg\.in|k8s\.io)\/[\w./-]{1,200}(?:@[\w.-]{1,40})?$/
const LOCAL = /:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|(?:[\w-]{1,60}\.){0,4}example\.(?:com|org|net))(?:[:/]|$)/

/** Whether a command only does what every documentation shows. What is not understood is not usual. */
function isUsualCommand(tokens: readonly string[], at: number, base: string, kind: CapabilityKind): boolean {
  if (/^(?:sudo|doas|env|\|)$/.test(tokens[at - 1] ?? '') || tokens[at - 2] === '=') return false
  const ends = tokens.findIndex((token, index) => index > at && /^(?:\|\|?|&&?|;|#.*)$/.test(token))
  const words = tokens.slice(at + 1, ends < 0 ? undefined : ends)
  if (words.some((word) => word === '(' || word === '`' || word.startsWith('$'))) return false
  if (kind === 'writes') return base === 'git' && words[0] === 'config' && words.length === 2
  if (kind !== 'sends') return false
  const addresses = words.filter((word) => word.includes('://'))
  if (/^(?:curl|wget|http|https|httpie|xh)$/.test(base))
    return (
      addresses.length > 0 &&
      addresses.every((word) => LOCAL.test(word)) &&
      !words.some((word, index) => {
        if (word === '-x') return !/^(?:get|post|put|patch|delete|head|options)$/.test(words[index + 1] ?? '')
        return /^--(?:resolve|connect-to|proxy|preproxy|config|unix-socket)|^@/.test(word)
      })
    )
  if (addresses.length > 0) return false
  const verb = words.find((word) => !INSTALL_OPTIONS.has(word)) ?? ''
  if (base === 'git') return /^(?:fetch|pull|ls-remote|remote (?:get-url|-v|show))/.test(words.slice(0, 2).join(' '))
  // Asking a cloud for what is there, or naming a command without its arguments.
  if (/^(?:aws|gcloud|az|gh)$/.test(base))
    return (
      (words.some((word) => /^(?:describe|list|show|ls|get|login|status|view|version)(?:-|$)/.test(word)) ||
        words.every((word) => /^[a-z][a-z-]{0,40}$/.test(word))) &&
      !words.some((word) => /secret|decrypt|object/.test(word))
    )
  if (
    base === 'go' &&
    words.slice(1).every((word) => /^(?:-[\w-]{1,20}|\.\/[\w./-]{0,80}|[\w-]{1,40}\.go|\.)$/.test(word))
  )
    return true
  if (base === 'kubectl' && words.some((word) => word.startsWith('--dry-run'))) return true
  const name = INSTALLS.has(base) || RUNNERS.has(base) || LOCAL_RUNNERS.has(base) ? base : `${base}:${verb}`
  const rest = name === base ? words : words.filter((_, index) => index !== words.indexOf(verb))
  if (LOCAL_RUNNERS.has(name)) return true
  if (RUNNERS.has(name)) {
    const tool = rest.find((word) => !/^(?:-y|--yes|--no-install|--no|--)$/.test(word)) ?? ''
    return KNOWN_TOOLS.has(tool.replace(/(?!^)@[\w.-]{1,40}$/, ''))
  }
  if (!INSTALLS.has(name) && !INSTALLS.has(`${base}:${verb}`)) return false
  return rest.every((word, index) => {
    const [before, next = ''] = [rest[index - 1] ?? '', rest[index + 1] ?? '']
    if (word === '<' || word === '>')
      return next === '=' || /^\d/.test(next) || rest[index + (word === '<' ? 2 : -2)] === (word === '<' ? '>' : '<')
    if (/^(?:-r|--requirement)$/.test(before)) return /^[\w.][\w./-]{0,100}$/.test(word)
    return word === '=' || INSTALL_OPTIONS.has(word) || PACKAGE.test(word)
  })
}

/** Input from a pipe, a text as code, a file that is not a program, or one outside of the project. */
function runsForeign(before: string, more: readonly string[]): boolean {
  const [next = '', second = '', third = ''] = more
  if (before === '|') return !/^-[cem]$|\.\w{1,5}$/.test(next)
  // What stands between the marks of a here-document is looked at itself.
  if (next === '<') return third === '<' || (second !== '<' && third !== '>')
  // A type that a function returns: `node: Node) -> void`.
  if (next === '-') return second !== '>' && !more.join(' ').includes('< <')
  if (next.startsWith('$') && !OUTSIDE.some((start) => next.startsWith(start)))
    return !next.includes('/') && !third.startsWith('/')
  return (
    /\.(?:md|txt|json|ya?ml|csv|log|dat|bin|png|jpe?g|tmp)$/.test(next) ||
    OUTSIDE.some((start) => next.startsWith(start)) ||
    next.includes('://')
  )
}

/** Of a path its last part: an order about `~/.claude/CLAUDE.md` is one about `CLAUDE.md`. */
function nameOf(word: string): string {
  return /\/[\w.-]{1,60}$/.test(word) ? word.slice(word.lastIndexOf('/') + 1) : word
}

function findOrders(tokens: readonly string[], steps: Steps): Found[] {
  const found: Found[] = []
  const words = tokens.map((token) =>
    LOCAL.test(token)
      ? 'localhost'
      : token.includes('://') && token.includes('?')
        ? LOADED_URL
        : token.includes('://') || /^[\w.+-]{1,60}@[\w-]{1,60}\.[a-z]/.test(token)
          ? URL
          : nameOf(token.replace(/^[*_~]{1,3}(?!\/)/, '').replace(/[*_~.:?…]{1,6}$/, '')),
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
        (word === 'without' && isNegated(words.slice(Math.max(0, at - 20), at))) ||
        (kind !== 'misleads' && isNegated(words.slice(Math.max(0, at - 2), at))) ||
        (word !== 'without' && /^(?:dont|never|not|cannot)$/.test(words[at - 1] ?? '')) ||
        (what === UNASKED &&
          word === 'without' &&
          !words.slice(Math.max(0, at - 9), at + 12).some((each) => ACTING.has(each))) ||
        // "Do not tell the user to set it" hides nothing.
        (kind === 'misleads' && /^(?:dont|never)$/.test(word) && words[from + 1] === 'to')
      if (isWhole && !isOpposite) found.push({ kind, what, isAlarming: kind === 'misleads' })
    }
  })
  return found
}

/** "Never push without asking" is the opposite of an order to act unasked. */
function isNegated(before: readonly string[]): boolean {
  const at = before.findLastIndex((word) => /^(?:never|dont|not|no|avoid|cannot)$/.test(word))
  return at >= 0 && !before.slice(at).some((word) => TURNING.has(word))
}

/** A hidden file starts a part of the path: `.azure/` is not in `com.azure/x`. */
function leadsTo(path: string, part: string): boolean {
  const at = path.indexOf(part)
  return at >= 0 && (!part.startsWith('.') || at === 0 || !/\w/.test(path[at - 1] ?? ''))
}

const CHANGING = new Set('update configure set paste register enable change include replace insert commit'.split(' '))

function findPlaces(tokens: readonly string[], place: LinePlace, steps: Steps): Found[] {
  const found: Found[] = []
  const isChanging = tokens.some((token) => WRITING.has(token) || CHANGING.has(token))
  tokens.forEach((token, at) => {
    steps.count++
    if (!/[./\\~$%]/.test(token)) return
    const path = token.replaceAll('\\', '/')
    // The settings of the project itself are named everywhere; a shell that gets them is another matter.
    const isOwn =
      /^(?:\.\/)?\.env$/.test(path) && (place !== 'shell' || /^(?:#|cp|echo|touch|git)/.test(tokens[0] ?? ''))
    if (SECRET_PLACES.some((part) => (part === '.env' ? /(?:^|\/)\.env$/.test(path) : leadsTo(path, part))))
      found.push({ kind: 'asks', what: 'names a place of secrets', isAlarming: false, isUsual: isOwn })
    if (START_PLACES.some((part) => leadsTo(path, part))) {
      const isUsual = place === 'prose' && !isChanging
      found.push({
        kind: 'writes',
        what: 'names a file that a shell, git or an agent starts with',
        isAlarming: false,
        isUsual,
      })
    }
    if (/^\/dev\/(?:tcp|udp)\//.test(path)) found.push({ kind: 'sends', what: 'opens a connection', isAlarming: true })
    if (
      OUTSIDE.some((start) => token.startsWith(start)) &&
      tokens.slice(Math.max(0, at - 6), at).some((each) => WRITING.has(each))
    )
      found.push({
        kind: 'writes',
        what: 'writes outside the project',
        isAlarming: false,
        isUsual: path.startsWith('/tmp/'),
      })
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
    (place === 'shell' && /[a-z]'[ ]?\+[ ]?'[a-z]|\$\(\$(?!\w{1,40}\.\w)/.test(line))
  return isHidden ? [{ kind: 'runs', what: 'hides what it runs', isAlarming: true }] : []
}

/** A form of a name that is equal for names that look alike. Case does not matter in addresses and names. */
export function lookOf(text: string): string {
  const read = text
    .toLowerCase()
    .replace(/rn/g, 'm')
    .replace(/vv/g, 'w')
    .replace(/[1il|]/g, 'l')
  return read.replace(/0/g, 'o').replace(/5/g, 's')
}

/** Well-known hosts, by how they look. */
const HOSTS = new Map(
  `github.com githubusercontent.com gitlab.com bitbucket.org npmjs.com npmjs.org pypi.org anthropic.com claude.ai openai.com google.com googleapis.com microsoft.com amazonaws.com docker.com docker.io huggingface.co vercel.com cloudflare.com python.org rust-lang.org crates.io`
    .split(/\s+/)
    .map((host) => [lookOf(host), host]),
)

/** Finds invisible text in a line, and text that looks like something else. */
function findAppearance(line: string): Found[] {
  const found: Found[] = []
  const misleads = (what: string) => found.push({ kind: 'misleads', what, isAlarming: true })
  for (const rest of line.split('://').slice(1)) {
    const authority = (/^[^\s/"'\x60<>)\]}]{0,300}/.exec(rest)?.[0] ?? '').toLowerCase()
    const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d{0,5}$/, '')
    const domain = host.split('.').slice(-2).join('.')
    const meant = HOSTS.get(lookOf(domain))
    if (/\p{Script=Latin}/u.test(host) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(host)) {
      misleads('an address mixes letters of different scripts')
    } else if (meant !== undefined && ![...HOSTS.values()].includes(domain)) {
      misleads(`an address looks like ${meant}, but is ${domain}`)
    }
  }
  if (/^[\t\x20-\x7e]*$/.test(line)) return found
  // A flag is a black flag with up to six tags; all other tags only hide text.
  const bare = line.replace(/\u{1f3f4}[\u{e0020}-\u{e007f}]{1,7}/gu, '')
  if (
    /[\u{e0000}-\u{e007f}]{2}|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{3}|[\u200b-\u200f\u2060-\u2064\ufeff]{6}|[a-z][\u200b\u2060\ufeff]{1,5}[a-z]/iu.test(
      bare,
    )
  )
    misleads('holds text in characters that nobody sees')
  if (/[\u202a-\u202e\u2066-\u2069]/.test(bare))
    misleads('turns the direction of text around, so that it reads other than it runs')
  // Of the Greek letters only those that look like Latin ones: formulas have the others inside of words.
  if (/[A-Za-z][\u0400-\u04ffΑΒΕΖΗΙΚΜΝΟΡΤΥΧαινορυ][A-Za-z]|[\u0400-\u04ff][A-Za-z][\u0400-\u04ff]/.test(bare))
    misleads('mixes letters of different scripts in a word')
  return found
}
