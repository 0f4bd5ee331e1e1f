import { INJECTIONS, PEOPLE, RESTRICTED } from './corpus-people.ts'
import { CREDENTIALS, type Kind, SECRETS } from './corpus-secrets.ts'
import { Random } from './random.ts'

/** A text with one thing to detect. */
export interface Sample {
  kind: Kind
  position: string
  encoding: string
  text: string
  /** The thing as it is written in the text. */
  start: number
  end: number
}

const quote = (text: string) => JSON.stringify(text).slice(1, -1)
const variable = (label: string) => label.toUpperCase().replace(/\W/g, '_')
const field = (label: string) => label.replace(/\W/g, '_')

interface Position {
  name: string
  write(label: string, value: string): string
  /** How a value is written there. */
  spell?(value: string): string
  /** It labels the value, by a colon, an equals sign or a column. */
  assigns: boolean
  /** It can contain a value of several lines. */
  holdsBlocks: boolean
}

const POSITIONS: readonly Position[] = [
  {
    name: 'line start',
    write: (label, value) => `Notes\n${value} (${label}) was used\n`,
    assigns: false,
    holdsBlocks: true,
  },
  {
    name: 'line end',
    write: (label, value) => `we saw the ${label} ${value}\nin the log`,
    assigns: false,
    holdsBlocks: true,
  },
  {
    name: 'middle',
    write: (label, value) => `Yesterday ${label} ${value} was seen in a log, twice.`,
    assigns: false,
    holdsBlocks: false,
  },
  { name: 'after colon', write: (label, value) => `${label}: ${value}\n`, assigns: true, holdsBlocks: true },
  {
    name: 'json value',
    write: (label, value) => `{"id": 7, "${label}": "${value}", "state": "open"}`,
    spell: quote,
    assigns: true,
    holdsBlocks: true,
  },
  {
    name: 'json key',
    write: (label, value) => `{"kind": "${label}", "${value}": true}`,
    spell: quote,
    assigns: false,
    holdsBlocks: true,
  },
  {
    name: 'yaml',
    write: (label, value) => `service:\n  ${field(label)}: '${value}'\n  port: 8080\n`,
    assigns: true,
    holdsBlocks: false,
  },
  {
    name: 'yaml block',
    write: (label, value) => `service:\n  ${field(label)}: |\n    ${value}\n  port: 8080\n`,
    spell: (value) => value.replaceAll('\n', '\n    '),
    assigns: false,
    holdsBlocks: true,
  },
  {
    name: 'env line',
    write: (label, value) => `PORT=8080\nexport ${variable(label)}=${value}\nDEBUG=1\n`,
    assigns: true,
    holdsBlocks: false,
  },
  {
    name: 'env quoted',
    write: (label, value) => `${variable(label)}="${value}"\n`,
    spell: quote,
    assigns: true,
    holdsBlocks: true,
  },
  {
    name: 'url query',
    write: (label, value) => `GET https://api.prod-host.io/v1/items?page=2&${field(label)}=${value}&sort=asc`,
    spell: encodeURIComponent,
    assigns: true,
    holdsBlocks: true,
  },
  {
    name: 'table',
    write: (label, value) => `| name | value |\n|---|---|\n| ${label} | ${value} |\n| port | 8080 |\n`,
    assigns: true,
    holdsBlocks: false,
  },
  {
    name: 'code fence',
    write: (label, value) => `Run:\n\n\`\`\`sh\n${field(label)}="${value}"\n./deploy\n\`\`\`\n`,
    assigns: true,
    holdsBlocks: true,
  },
  { name: 'code', write: (label, value) => `const ${field(label)} = '${value}'\n`, assigns: true, holdsBlocks: false },
  {
    name: 'comment',
    write: (label, value) => `foo()\n// ${label}: ${value}\nbar()\n`,
    spell: (value) => value.replaceAll('\n', '\n// '),
    assigns: true,
    holdsBlocks: true,
  },
  {
    name: 'html comment',
    write: (label, value) => `<p>x</p><!-- ${label}: ${value} -->`,
    assigns: true,
    holdsBlocks: false,
  },
  {
    name: 'quoted mail',
    write: (label, value) => `He wrote:\n> ${label}: ${value}\n`,
    spell: (value) => value.replaceAll('\n', '\n> '),
    assigns: true,
    holdsBlocks: true,
  },
]

interface Encoding {
  name: string
  /** The text, and the form in which it contains the part that must not be readable. */
  encode(text: string, value: string, part: string): { text: string; part: string }
  suits(position: Position, kind: Kind): boolean
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
const hexOf = (letter: string) => letter.charCodeAt(0).toString(16)
const percents = (text: string) =>
  text.replace(/[^\w.~-]/g, (found) => (/[!'()*]/.test(found) ? `%${hexOf(found)}` : encodeURIComponent(found)))
const unicode = (text: string) => text.replace(/[^b-y]/g, (letter) => `\\u${hexOf(letter).padStart(4, '0')}`)

const ENCODINGS: readonly Encoding[] = [
  { name: 'plain', encode: (text, _, part) => ({ text, part }), suits: () => true },
  {
    name: 'json in json',
    encode: (text, _, part) => ({ text: JSON.stringify({ at: 1, log: text }), part: quote(part) }),
    suits: () => true,
  },
  {
    name: 'percents',
    encode: (text, _, part) => ({ text: `https://log.prod-host.io/add?line=${percents(text)}`, part: percents(part) }),
    suits: ({ name }) => name !== 'url query',
  },
  {
    name: 'unicode escapes',
    encode: (text, value, part) => ({ text: text.replace(value, () => unicode(value)), part: unicode(part) }),
    suits: ({ name }, { isBlock }) => name === 'json value' && isBlock !== true,
  },
  {
    name: 'base64 of the line',
    encode: (text) => ({ text: `payload: ${base64(text)}`, part: base64(text) }),
    suits: ({ name }) => name === 'after colon' || name === 'json value' || name === 'env line',
  },
  {
    name: 'base64 of the value',
    encode: (text, value) => ({ text: text.replace(value, () => base64(value)), part: base64(value) }),
    suits: ({ name }, { isAssigned, contentClass }) =>
      (name === 'json value' || name === 'yaml block') && isAssigned !== true && contentClass === 'secret',
  },
  {
    name: 'hidden characters',
    encode: (text, value, part) => {
      const hide = (each: string) => `${each.slice(0, -3)}\u200b${each.slice(-3)}`
      return { text: text.replace(value, () => value.replace(part, () => hide(part))), part: hide(part) }
    },
    suits: ({ name }) => name === 'middle' || name === 'after colon',
  },
]

export const KINDS: readonly Kind[] = [...SECRETS, ...CREDENTIALS, ...PEOPLE, ...RESTRICTED, ...INJECTIONS]

/** Every kind in every position and encoding in which it appears, `times` each. */
export function makeSamples(seed: number, times: number): Sample[] {
  const random = new Random(seed)
  return KINDS.flatMap((kind) =>
    POSITIONS.filter((position) => fits(kind, position)).flatMap((position) =>
      ENCODINGS.filter((encoding) => encoding.suits(position, kind)).flatMap((encoding) =>
        Array.from({ length: times }, () => makeSample(random, kind, position, encoding)),
      ),
    ),
  )
}

function fits(kind: Kind, position: Position): boolean {
  return (kind.isAssigned !== true || position.assigns) && (kind.isBlock !== true || position.holdsBlocks)
}

function makeSample(random: Random, kind: Kind, position: Position, encoding: Encoding): Sample {
  const spell = position.spell ?? ((each: string) => each)
  const made = kind.make(random)
  const value = spell(made)
  const written = position.write(random.pick(kind.labels), value)
  const { text, part } = encoding.encode(written, value, spell(kind.part?.(made) ?? made))
  const start = text.indexOf(part)
  if (start === -1) throw new Error(`the ${kind.kind} got lost: ${position.name}, ${encoding.name}`)
  return { kind, position: position.name, encoding: encoding.name, text, start, end: start + part.length }
}
