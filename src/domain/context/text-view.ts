/** A text as somebody may read it, each character with the place it came from. */
export interface TextView {
  text: string
  startOf(index: number): number
  endOf(index: number): number
}

/** What is read in another way: a stretch of the text, and what it says. */
interface Reading {
  start: number
  end: number
  says: string
}

const MOST_LAYERS = 3

/**
 * The text as shown, without characters that hide, and then with its escapes undone, layer by layer: a secret in the
 * JSON of a URL of a JSON is still one.
 */
export function readViews(text: string): TextView[] {
  const shown = readShown(text)
  const views = [shown]
  for (let view = shown; views.length <= MOST_LAYERS; ) {
    const readings = findEscapes(view.text)
    if (readings.length === 0) break
    view = readAs(view, readings)
    views.push(view)
  }
  return views
}

const PLAIN = /^[\t\n\r\x20-\x7e]*$/

function readShown(text: string): TextView {
  const view = { text, startOf: (index: number) => index, endOf: (index: number) => index + 1 }
  if (PLAIN.test(text)) return view
  const readings: Reading[] = []
  for (const match of text.matchAll(/[^\t\n\r\x20-\x7e\u00c0-\u02af\u0370-\u1fff\u4e00-\u9fff\uac00-\ud7a3]/gu)) {
    const [character] = match
    const says = HIDDEN().test(character) ? '' : character.normalize('NFKC')
    if (says !== character) readings.push({ start: match.index, end: match.index + character.length, says })
  }
  return readings.length === 0 ? view : readAs(view, readings)
}

const HIDDEN = () => /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

function readAs(view: TextView, readings: readonly Reading[]): TextView {
  const starts = new Uint32Array(lengthAs(view.text, readings))
  const ends = new Uint32Array(starts.length)
  const pieces: string[] = []
  let size = 0
  const put = (start: number, end: number) => {
    starts[size] = view.startOf(start)
    ends[size++] = view.endOf(end - 1)
  }
  let from = 0
  for (const { start, end, says } of readings) {
    for (let at = from; at < start; at++) put(at, at + 1)
    for (let at = 0; at < says.length; at++) put(start, end)
    pieces.push(view.text.slice(from, start), says)
    from = end
  }
  for (let at = from; at < view.text.length; at++) put(at, at + 1)
  pieces.push(view.text.slice(from))
  return { text: pieces.join(''), startOf: (index) => starts[index] ?? 0, endOf: (index) => ends[index] ?? 0 }
}

function lengthAs(text: string, readings: readonly Reading[]): number {
  return readings.reduce((length, { start, end, says }) => length - (end - start) + says.length, text.length)
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', commat: '@' }
const AFTER_BACKSLASH: Record<string, string> = { n: '\n', r: '\r', t: '\t', '"': '"', "'": "'", '/': '/', '\\': '\\' }

/** `\"` and `\u0041` of JSON, `%2B` of URLs, `&quot;` and `&#65;` of HTML. */
function findEscapes(text: string): Reading[] {
  if (!/[\\%&]/.test(text)) return []
  const escapes =
    /\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([nrt"'/\\]))|((?:%[89a-f][0-9a-f])+)|%([0-7][0-9a-f])|&(?:(amp|lt|gt|quot|apos|nbsp|commat)|#(\d{2,7})|#x([0-9a-f]{2,6}));/gi
  const found: Reading[] = []
  for (const match of text.matchAll(escapes)) {
    const [whole, unicode, byte, letter, beyond, percent, name, decimal, hex] = match
    const says =
      letter !== undefined
        ? (AFTER_BACKSLASH[letter] ?? whole)
        : name !== undefined
          ? (NAMED[name.toLowerCase()] ?? whole)
          : beyond !== undefined
            ? decodePercents(beyond)
            : characterOf(
                decimal === undefined ? Number.parseInt(unicode ?? byte ?? percent ?? hex ?? '', 16) : Number(decimal),
              )
    if (says !== undefined && says !== whole) found.push({ start: match.index, end: match.index + whole.length, says })
  }
  return found
}

function characterOf(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}

function decodePercents(escaped: string): string | undefined {
  try {
    return decodeURIComponent(escaped)
  } catch {
    return undefined
  }
}
