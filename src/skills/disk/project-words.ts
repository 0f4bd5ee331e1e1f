import { readdirSync } from 'node:fs'
import { extname } from 'node:path'
import { readInside } from '../../machine/inside.ts'
import { parseJson } from '../../text/json.ts'
import { attempt, isRecord } from '../../text/values.ts'

const LANGUAGES: Readonly<Record<string, string>> = {
  '.ts': 'TypeScript',
  '.tsx': 'React TypeScript',
  '.jsx': 'React',
  '.js': 'JavaScript',
  '.py': 'Python',
  '.ipynb': 'Jupyter',
  '.rs': 'Rust',
  '.go': 'Go',
  '.rb': 'Ruby',
  '.java': 'Java',
  '.kt': 'Kotlin',
  '.swift': 'Swift',
  '.cs': 'C#',
  '.php': 'PHP',
  '.tf': 'Terraform',
  '.sol': 'Solidity',
  '.vue': 'Vue',
  '.svelte': 'Svelte',
  '.ex': 'Elixir',
  '.sql': 'SQL',
  '.tex': 'LaTeX',
}

/** Files that name what a project depends on, and the pattern of a name. */
const MANIFESTS: readonly (readonly [file: string, name: RegExp])[] = [
  ['requirements.txt', /^([A-Za-z][\w.-]{1,40})/gm],
  ['pyproject.toml', /^\s*"?([A-Za-z][\w.-]{1,40})"?\s*(?:[=<>~!]=|=\s*[{"]|",?$)/gm],
  ['Cargo.toml', /^([a-z][\w-]{1,40})\s*=/gm],
  ['go.mod', /^\s*(?:require\s+)?[\w.-]+\/[\w./-]*?([\w-]+)(?:\/v\d+)? v/gm],
  ['Gemfile', /^\s*gem ["']([\w-]+)/gm],
  ['composer.json', /"[\w-]+\/([\w-]+)"\s*:/g],
]

/** The languages and the dependencies of a project, as words to search with; empty if nothing is known. */
export function describeProject(root: string): string {
  const words = new Set<string>()
  const names = [...namesIn(root), ...['src', 'app', 'lib'].flatMap((folder) => namesIn(`${root}/${folder}`))]
  for (const name of names) {
    const language = LANGUAGES[extname(name).toLowerCase()]
    if (language !== undefined) words.add(language)
    if (/^(docker|compose)/i.test(name)) words.add('Docker')
  }
  if (namesIn(`${root}/.github/workflows`).length > 0) words.add('GitHub Actions')
  const text = (file: string) => readInside(root, file, { most: 256 * 1024 }).bytes?.toString('utf8') ?? ''
  const { value } = parseJson(text('package.json') || '{}')
  for (const key of ['dependencies', 'devDependencies']) {
    const table: unknown = isRecord(value) ? value[key] : undefined
    for (const name of isRecord(table) ? Object.keys(table) : []) words.add(name.replace(/^@types\/|^@/, ''))
  }
  for (const [file, pattern] of MANIFESTS) {
    for (const [, name = ''] of text(file).matchAll(pattern)) words.add(name)
  }
  return [...words].slice(0, 60).join(' ')
}

function namesIn(folder: string): string[] {
  return attempt(() => readdirSync(folder).slice(0, 500), [])
}
