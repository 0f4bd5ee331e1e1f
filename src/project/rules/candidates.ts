/** Why a project file is never shown for a task. Saved as positions in this list: append only. */
export const LEFT_OUT = [
  'lock',
  // Or not UTF-8.
  'binary',
  'minified',
  'generated',
  'vendored',
  // Over LARGEST_FILE.
  'large',
  // A link, a folder, a device.
  'special',
  'unreadable',
  // By loadout.json.
  'excluded',
  // Loadout reads knowledge packs only after checking their approval.
  'gate',
] as const
export type LeftOut = (typeof LEFT_OUT)[number]

export const LARGEST_FILE = 1024 * 1024

const LOCK =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|bun\.lockb|[^/]+\.lock|[^/]+\.lockfile)$/i
const MINIFIED = /[.-]min\.(?:js|css|mjs|cjs)$|\.(?:js|css|mjs|cjs|ts)\.map$|\.bundle\.(?:js|css)$/i
const VENDORED =
  /(?:^|\/)(?:node_modules|bower_components|jspm_packages|_?vendor|vendored|third[-_]party|3rdparty|\.yarn|\.pnp)\//i

/** By its path alone; undefined for a candidate. */
export function leftOutByPath(path: string): LeftOut | undefined {
  if (LOCK.test(path)) return 'lock'
  if (
    /\.(?:png|jpe?g|gif|ico|icns|bmp|tiff?|webp|avif|woff2?|ttf|otf|eot|zip|gz|tgz|bz2|xz|zst|7z|rar|tar|pdf|docx?|xlsx?|pptx?|mp[34]|mov|avi|webm|ogg|wav|flac|wasm|exe|dll|so|dylib|a|o|obj|class|jar|war|whl|egg|pyc|pyo|bin|dat|db|sqlite3?|psd|keystore|p12|pfx|der|mo|pack|idx)$/i.test(
      path,
    )
  )
    return 'binary'
  if (MINIFIED.test(path)) return 'minified'
  return VENDORED.test(path) ? 'vendored' : undefined
}

const GENERATED =
  /@generated\b|\bDO NOT EDIT\b|\b(?:auto-?generated|generated) (?:by|from|file|code)\b.{0,80}(?:do not|don't) (?:\w+ )?(?:edit|modify|change|touch)\b/is
/** A program that writes such a line also contains it, but not as its own comment. */
const COMMENT =
  /^[ \t]*(?:\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))|<!--[\s\S]*?(?:-->|$(?![\s\S]))|"""[\s\S]*?(?:"""|$(?![\s\S]))|(?:\/\/|#|--|;|%).*)/gm
/** By its content. Markdown may mention generated files without being one. */
export function leftOutByText(path: string, text: string): LeftOut | undefined {
  if (!isProse(path) && isGenerated(path, text.slice(0, 1000))) return 'generated'
  if (text.length < 4000) return undefined
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return text.length / lines > 500 && !isProse(path) ? 'minified' : undefined
}

function isGenerated(path: string, head: string): boolean {
  // Most files contain nothing of the kind.
  if (!GENERATED.test(head)) return false
  return /\.json$/i.test(path) || GENERATED.test((head.match(COMMENT) ?? []).join('\n'))
}

/** The role of a file in a project, judging by its path. */
export interface Role {
  isTest: boolean
  /** Documentation. */
  isProse: boolean
  /** Settings: JSON, YAML, TOML. */
  isConfig: boolean
  /** Licences, themes, recorded output: text that matches by accident. */
  isData: boolean
  /** A changelog. */
  isLog: boolean
  /** Not the subject of a project: examples, and bundled foreign code. */
  isExample: boolean
}

const TEST_FOLDER =
  /(?:^|\/)(?:tests?|[a-z]+Test|__tests__|specs?|testing|testdata|test-?data|fixtures?|__fixtures__|__snapshots__|__mocks__|snapshots?|e2e)\//
/** Only for code: a guide may be called `writing-tests.md`. `ConnectionSpec.java` describes a connection. */
const TEST_NAME =
  /[._-](?:test|spec|tests|bench)\.[^/]*$|_test\.[a-z]+$|(?:^|\/)(?:test_[^/]*|conftest)\.py$|Tests?\.(?:java|kt|cs|swift)$/
const CONFIG = /\.(?:jsonc?|json5|ya?ml|toml|cfg|ini|conf|properties|env)$|(?:^|\/)go\.mod$/i
const DATA =
  /(?:^|\/)(?:licen[cs]e|copying|notice|authors|contributors|third-party)[^/]*$|\.(?:tmtheme|sublime-[a-z]+|golden|svg|csv|tsv|po|pot|snap|out|ans|patch|diff|log|jsonl|ndjson|xml|html?)$/i
const LOG =
  /(?:^|\/)(?:changelog|changes|history|news|releases?|(?:release[-_ ]notes|changelog)(?:[-_][^/]*)?)(?:\.[a-z]+)?$|(?:^|\/)(?:\.changeset|changelogs?|changes|release[-_ ]notes)\//i
/** Also `deps/` at the root: C projects store foreign code there, and some their own. */
const EXAMPLE = /(?:^|\/)(?:examples?|samples?|demos?|benchmarks?|bench|benches|website|dist|playground)\/|^deps\//i

export function roleOf(path: string): Role {
  return {
    isTest: TEST_FOLDER.test(path) || (!isProse(path) && TEST_NAME.test(path)),
    isProse: isProse(path),
    isConfig: CONFIG.test(path),
    isData: DATA.test(path),
    isLog: LOG.test(path),
    isExample: EXAMPLE.test(path),
  }
}

function isProse(path: string): boolean {
  return /\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|org|tex)$/i.test(path)
}

interface Text {
  path: string
  text: string
}

const SAME = 0.8

/**
 * Whether two files are builds of one source: they are in one folder, have one name with different extensions, and
 * almost the same lines. Mirrored trees do not count: a change there changes both.
 */
export function isSameBuild(one: Text, other: Text): boolean {
  if (baseOf(one.path) !== baseOf(other.path)) return false
  const [a, b] = [linesOf(one.text), linesOf(other.text)]
  if (Math.min(a.size, b.size) < SAME * Math.max(a.size, b.size)) return false
  let both = 0
  for (const line of a) if (b.has(line)) both++
  return both >= SAME * (a.size + b.size - both)
}

/** `priv/static/phoenix` of `priv/static/phoenix.cjs.js`. */
function baseOf(path: string): string {
  return /^(?:.*\/)?[^/][^/.]*/.exec(path)?.[0] ?? path
}

function linesOf(text: string): Set<string> {
  return new Set(text.split('\n').map((line) => line.trim()))
}
