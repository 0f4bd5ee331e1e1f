import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFolder, runShell } from './cli/run.ts'
import { runWarm } from './cli/warm.ts'

const ROOT = join(import.meta.dirname, '..')
const WORD = 'xylophone'

interface Row {
  patterns: RegExp[]
  holdsTasks: string
  isPrivate: boolean
}

/** The table of docs/explanation/privacy.md: file, what it holds, the words of tasks, only you, how long. */
function storedRows(): Row[] {
  const page = readFileSync(join(ROOT, 'docs/explanation/privacy.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (`[^|]+`) \| [^|]+ \| ([^|]+) \| ([^|]+) \| [^|]+ \|$/gm)]
  return rows.map(([, files = '', holdsTasks = '', mode = '']) => ({
    patterns: [...files.matchAll(/`([^`]+)`/g)].map(([, glob = '']) => asPattern(glob)),
    holdsTasks,
    isPrivate: mode === 'yes',
  }))
}

/** A folder stands for everything in it. */
function asPattern(glob: string): RegExp {
  const escaped = glob.replace(/[.]/g, '\\.').replaceAll('*', '[^/]+')
  return new RegExp(`^${escaped}${glob.endsWith('/') ? '.*' : ''}$`)
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => relative(folder, join(file.parentPath, file.name)))
}

describe('docs/explanation/privacy.md', () => {
  const [home, project] = [makeFolder(), makeFolder()]
  const state = join(home, '.local/state/loadout')
  const rows = storedRows()
  const rowOf = (file: string) => rows.find(({ patterns }) => patterns.some((pattern) => pattern.test(file)))

  const umask = process.umask(0)
  afterAll(() => void process.umask(umask))

  beforeAll(() => {
    const here = { home, cwd: project }
    const git =
      'GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com'
    const setUp = [
      'git init --quiet && mkdir -p .claude/loadout packs',
      `printf -- '---\\nid: steps\\nsummary: Release\\nkeywords: [release]\\n---\\n\\nTag it.\\n' > .claude/loadout/steps.md`,
      'loadout rules build',
      `${git} loadout init --new "$HOME/skills"`,
      'loadout new notes --description "Drafts notes. Use when a release is cut."',
      'loadout install notes --target claude --project .',
      'echo edited >> .claude/skills/notes/SKILL.md',
      'loadout remove --copies notes --project .',
    ]
    expect(runShell(setUp.join(' && '), here)).toMatchObject({ code: 0 })
    const event = (name: string, rest: object) =>
      JSON.stringify({ session_id: 's-1', cwd: project, hook_event_name: name, ...rest })
    const prompt = event('UserPromptSubmit', { prompt: `cut a release, ${WORD}` })
    const runs: [string[], string?][] = [
      [['plan', `cut a release, ${WORD}`, '--load']],
      [['context', `cut a release, ${WORD}`]],
      [['packs', 'resolve', `how does loadout choose packs, ${WORD}`, '--session', 's-1']],
      [['hook', 'claude', 'SessionStart'], event('SessionStart', { source: 'startup' })],
      [['hook', 'claude', 'UserPromptSubmit'], prompt],
      [['hook', 'claude', 'UserPromptSubmit'], prompt.slice(1)],
      [['hooks', 'install', 'claude']],
    ]
    for (const [args, stdin = ''] of runs) {
      expect(runWarm(args, { ...here, stdin }), args.join(' ')).toMatchObject({ code: 0 })
    }
  })

  it('names every file that is stored', () => {
    expect(filesIn(state).filter((file) => rowOf(file) === undefined)).toEqual([])
    const seen = new Set(
      filesIn(state).map((file) =>
        file
          .split('/')
          .slice(0, 2)
          .join('/')
          .replace(/[^/]+\.json$/, '*'),
      ),
    )
    expect([...seen]).toEqual(expect.arrayContaining(['usage.jsonl', 'hooks.log', 'hooks/sessions', 'audit/*']))
  })

  it('says rightly what only the user can read', () => {
    const open = filesIn(state).filter((file) => (statSync(join(state, file)).mode & 0o077) !== 0)
    expect(open.filter((file) => rowOf(file)?.isPrivate)).toEqual([])
  })

  it('says rightly that only the user can enter a folder, even where the umask lets everybody in', () => {
    const folders = readdirSync(state, { recursive: true, withFileTypes: true })
      .filter((file) => file.isDirectory() && !file.parentPath.includes('/backups'))
      .map((file) => join(file.parentPath, file.name))
    expect(folders.length).toBeGreaterThan(3)
    const modes = [state, ...folders].map((folder) => `${folder} ${(statSync(folder).mode & 0o777).toString(8)}`)
    expect(modes.filter((line) => !line.endsWith(' 700'))).toEqual([])
    expect(statSync(join(home, '.config/loadout/config.json')).mode & 0o777).toBe(0o600)
  })

  it('says rightly where the words of tasks are', () => {
    const files = [state, join(home, '.cache/loadout'), join(home, '.config/loadout')].flatMap((folder) =>
      filesIn(folder).map((file) => join(folder, file)),
    )
    const holding = files.filter((file) => readFileSync(file).includes(WORD)).map((file) => relative(state, file))
    expect(holding.length).toBeGreaterThan(0)
    expect(holding.filter((file) => rowOf(file)?.holdsTasks !== 'yes')).toEqual([])
  })
})

it('only these files reach for the network: what serves, what asks a server, a team’s database', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !name.includes('.test.'),
  )
  const network =
    /from '(?:(?:node:)?(?:http|https|http2|net|tls|dgram|dns)(?:\/\w+)?|@hono\/node-server|pg)'|import\('openid-client'\)|(?<![.\w])fetch\((?:address|url|['"`])/g
  const using = sources.filter((name) =>
    readFileSync(join(ROOT, 'src', name), 'utf8')
      .split('\n')
      .some((line) => !line.startsWith('import type') && line.match(network)),
  )
  expect(using.sort()).toEqual([
    // Serves the user's own agent through a socket in a folder, for an agent without a network.
    'agents/disk/scripted-model.ts',
    'machine/call-http.ts',
    'machine/http.ts',
    'team/disk/database.ts',
    // The provider that the administrator of a team names.
    'team/disk/sign-in.ts',
    // The page in the browser, which asks the server that it came from.
    'web/page/live.ts',
  ])
})
