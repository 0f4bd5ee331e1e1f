// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of other programs
import { Random } from './random.ts'

/** A text without anything to detect. */
export interface CleanText {
  sort: string
  text: string
}

const WORDS =
  'the build of this release takes a token from cache and writes each key to disk when password rules change secret santa bearer of news card phone account number user mail id record note value'.split(
    ' ',
  )

const sentence = (random: Random) =>
  `${Array.from({ length: 8 + random.below(12) }, () => random.pick(WORDS)).join(' ')}.`
const uuid = (random: Random) => [8, 4, 4, 4, 12].map((length) => random.hex(length)).join('-')
const date = (random: Random) => `20${10 + random.below(17)}-0${1 + random.below(9)}-${10 + random.below(18)}`
const time = (random: Random) =>
  `${date(random)}T${10 + random.below(13)}:${10 + random.below(49)}:${10 + random.below(49)}.${random.digits(3)}Z`
const version = (random: Random) => `${random.below(30)}.${random.below(60)}.${random.below(1000)}`
const bytes = (random: Random, size: number) => Buffer.from(Array.from({ length: size }, () => random.below(256)))

const CODE: readonly string[] = [
  'const password = await ask("Password: ")',
  'if (user.password !== form.password) throw new Error("passwords differ")',
  'export interface Login { username: string; password: string; apiKey?: string }',
  'api_key: process.env.API_KEY',
  'token = os.environ["GITHUB_TOKEN"]',
  'headers: { Authorization: `Bearer ${token}` }',
  'curl -H "Authorization: Bearer $TOKEN" https://api.example.com/v1/items',
  'git clone git@github.com:owner/name.git && cd name',
  'Author: dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>',
  'Report a problem to security@project-site.org or write to user@example.com',
  'background: url(logo@2x.png); color: #ff8800',
  'y = x@self.weight + bias',
  'password: ${{ secrets.NPM_TOKEN }}',
  'DB_PASSWORD=changeme',
  'secret: <your secret here>',
  '"password": "********"',
  'postgres://user:password@localhost:5432/db',
  'mongodb://${USER}:${PASS}@db:27017/app',
  'const max_tokens = 4096, tokenizer = "cl100k_base"',
  'passwordHash: bcrypt.hashSync(password, 10)',
  '-----BEGIN CERTIFICATE-----',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPublicKeysAreNoSecretAtAllAndMayBeShown deploy',
  'test card 4242 4242 4242 4242, any date',
  'const MAX = 9007199254740991, TWO_52 = 4503599627370496, PI = 3.141592653589793',
  'Ignore the previous warning and run the tests again.',
  'The system prompt is built from three files.',
  'Previous instructions for upgrading are in docs/upgrade.md.',
  'You must run the migration before the first start.',
  'classification: SECRET management tools compared',
  'See the TLP:CLEAR notice; call +1 (212) 555-0142 in the film.',
  'call 1-800-FLOWERS, room 123-456, ISBN 978-3-16-148410-0, ISSN 2049-3630',
  'IMEI 490154203237518, EAN 4006381333931, ticket 2024-0115-0042',
  'docker run -p 127.0.0.1:8080:80 -e TOKEN nginx:1.25.3',
  '@media (min-width: 640px) { .a::after { content: "\\201C" } }',
  'Windows path C:\\new\\table\\users\\x41.txt and 100%25 of %PATH%',
  'the password is stored hashed; a token expires after 3600 seconds',
  '| password | string | yes | at least 8 characters |',
  '| api_key | base64 | header |',
  '"integrity": "sha512-" and "resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz"',
  'nextPageToken: "CAUQAA5gh7Jk2LmN8pQr"',
  'arn:aws:iam::123456789012:role/deploy in eu-central-1',
  'commit --author="Somebody <somebody@example.org>" --date=now',
]

const SORTS: Record<string, (random: Random) => string> = {
  prose: (random) => Array.from({ length: 4 }, () => sentence(random)).join(' '),
  code: (random) => [sentence(random), random.pick(CODE), sentence(random)].join('\n'),
  hashes: (random) => `${random.hex(40)}  ${random.hex(64)}  src/${random.pick(WORDS)}.ts\nmd5 ${random.hex(32)}`,
  'upper-case hashes': (random) => `SHA256 ${random.hex(64).toUpperCase()} crc ${random.hex(8).toUpperCase()}`,
  uuids: (random) => `{"id": "${uuid(random)}", "parent": "${uuid(random)}", "trace": "${random.hex(32)}"}`,
  'base64 image': (random) => `![x](data:image/png;base64,iVBORw0KGgo${bytes(random, 400).toString('base64')})`,
  'base64 bytes': (random) => `"payload": "${bytes(random, 12 + random.below(60)).toString('base64')}"`,
  'base64 text': (random) => `"note": "${Buffer.from(sentence(random)).toString('base64')}"`,
  'git log': (random) =>
    `commit ${random.hex(40)}\nAuthor: CI <noreply@github.com>\nDate:   ${time(random)}\n\n    ${sentence(random)}\n`,
  'minified js': (random) =>
    `!function(e,t){var n=${random.below(1e9)};${Array.from({ length: 30 }, () => `${random.text(2, 'abcdefgh')}(${random.text(1, 'etn')}.${random.text(3, 'abcxyz')}||${random.below(1e6)})`).join(',')}}(this,${random.below(99)}e3);`,
  css: (random) =>
    `.${random.text(6, 'abcdef')}{margin:${random.below(20)}px ${random.below(20)}px;color:#${random.hex(6)};transform:matrix(${random.below(9)}.${random.digits(8)},0,0,1,${random.below(900)},${random.below(900)})}`,
  'lock file': (random) =>
    `"node_modules/${random.text(8, 'abcdefgh')}": {\n  "version": "${version(random)}",\n  "integrity": "sha512-${bytes(random, 64).toString('base64')}"\n}`,
  numbers: (random) =>
    `${random.digits(10)} ${random.below(1e6)} 0.${random.digits(17)} ${random.below(999)}.${random.digits(13)} 1${random.digits(12)}`,
  versions: (random) =>
    `v${version(random)} -> ${version(random)}-rc.${random.below(9)} (10.0.${random.below(255)}.${random.below(255)}), build ${date(random).replaceAll('-', '')}.${random.below(99)}`,
  dates: (random) =>
    `${time(random)} ${date(random)} ${Date.parse(time(random))} ${date(random).slice(2).replaceAll('-', '')}-${random.digits(4)}`,
  snowflakes: (random) => `"id": "1${random.digits(17)}", "message": "1${random.digits(18)}"`,
  ids: (random) =>
    `ticket ABC-${random.below(9999)}, order ${random.digits(6)}-${random.digits(3)}, part ${random.text(3, 'ABCXYZ')}${random.digits(5)}, sku ${random.digits(3)}-${random.digits(4)}`,
  svg: (random) =>
    `<path d="M${Array.from({ length: 20 }, () => `${random.below(100)}.${random.digits(3)} ${random.below(100)}-${random.below(9)}.${random.digits(2)}`).join('L')}Z"/>`,
  csv: (random) =>
    `${random.below(1e6)},${date(random)},${random.below(1e4)}.${random.digits(2)},${random.pick(WORDS)},${random.digits(8)}`,
  diff: (random) =>
    `@@ -${random.below(900)},7 +${random.below(900)},9 @@\n+${random.below(1e6)} ${sentence(random)}\n-${random.below(1e6)}\n index ${random.hex(7)}..${random.hex(7)} 100644`,
  'chinese prose': (random) =>
    `${Array.from({ length: 20 }, () => String.fromCharCode(0x4e00 + random.below(3000))).join('')}\uff0c${random.digits(4)}\u5e74`,
}

/** `times` of every sort. */
export function makeCleanTexts(seed: number, times: number): CleanText[] {
  const random = new Random(seed)
  return Object.entries(SORTS).flatMap(([sort, make]) =>
    Array.from({ length: times }, () => ({ sort, text: make(random) })),
  )
}

/** Each line of code once. */
export const CLEAN_LINES: readonly string[] = CODE
