import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HOOK_HOSTS } from '../src/agents/rules/hook-hosts.ts'
import { compareText } from '../src/text/values.ts'
import { librarySkills } from '../test/agents/worlds.ts'

const FOLDER = 'test/agents/recorded'

interface Recording {
  agent: string
  label: string
  version: string
  recorded: string
  /** The day of what came by hooks and MCP, if it is another. */
  connected?: string
  mcp: { connected: boolean; named: boolean } | null
  hooks: { start: boolean; prompt: boolean } | null
  subagents?: boolean | null
  instructions: Record<string, [path: string, bytes: number][]>
  libraries: { size: number; asked?: string; model: string; shown: (number | null)[] }[]
}

/** The page `docs/agents/recorded.md`: what each client was seen to do. */
export function agentsTable(): string {
  const recordings = readdirSync(FOLDER)
    .sort(compareText)
    .map((name): Recording => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')))
  return `# What agents really do

Each line is a real run of the client in a fresh home folder, against a scripted model on the same machine. What the
client sent to its model was read from its requests. \`npm run record-agents\` makes the recordings in
\`${FOLDER}/\`, and this page; a test compares \`loadout see\` with them, skill by skill.

You have another version? \`loadout see <agent> --verify\` runs yours the same way, in a copy of what it reads: skills without
their scripts, instruction files, and of its settings the keys that Loadout knows, so no hook, MCP server or credential. It has no
network but that model and can write nothing else. What it sent is compared with \`see\` and kept for this version. This
needs Linux with \`unshare\` and \`ip\`.

| client | version | recorded | hooks | subagents | MCP | plugin | skills | instruction files |
|---|---|---|---|---|---|---|---|---|
${recordings.map(row).join('\n')}
${BY_HAND}

- **MCP**: the client connected to \`loadout mcp\`. "tools named" means that the first request names the tools;
  otherwise the model finds them by a search of the client. Codex does not
  wait for a server.
- **Hooks**: text of \`loadout connect\` that reached the model, at the start of a session and at a prompt. Codex
  ran with \`--dangerously-bypass-hook-trust\`: without it, it waits until a person trusts the hooks. Droid asks at a prompt only in
  sessions of an editor or a person: seen over JSON-RPC, by hand. "AGENTS.md": without hooks, \`connect\` lists there what can be loaded.
- **Subagents**: a subagent got what its own task needs. "–": it offered no tool that starts one.
- **Plugin**: built by \`loadout publish plugin\` and installed by the client's own command, by hand on 2026-11-19; for Qwen Code and
  Gemini CLI the extension.
- **Skills**: how many descriptions of 100 are listed whole or in part, by its own model.
- **Instruction files**: the names that the client reads in a project, each from the folder it is started in up to the
  root of the repository.

Each session of two at once, started by \`loadout session\`, listed its own skills; a third one listed what is installed
(Claude Code 2.1.197, 2026-11-19).

## Skills that the model sees

Of libraries with 20, 100 and 500 skills: listed with the whole description, with a part of it, and only by name. A
skill that is in none of these numbers is not listed at all.

| client | version | model | 20 skills | 100 skills | 500 skills |
|---|---|---|---|---|---|
${recordings.flatMap(seenRows).join('\n')}

The descriptions of these libraries have 40 to 270 characters, and every 25th has 1,900. "Default" is the model that a
fresh installation with an API key takes by itself. Copilot CLI refuses descriptions of more than 1,024 characters.

## Switching one skill

Each client was also run with settings that switch some skills of a library, in every file that it might read. \`see\`
reads the same settings. Only Claude Code can list a skill without its description; the others list it whole or not at all.

| client | setting | where | what it does |
|---|---|---|---|
| Claude Code | \`skillOverrides\` | user, project and local settings, skill by skill | \`name-only\`: listed without its description; \`off\` and \`user-invocable-only\`: not listed |
| Codex | \`[[skills.config]]\` with \`enabled = false\` | \`config.toml\` of the user | not listed |
| GitHub Copilot CLI | \`disabledSkills\` | \`settings.json\` of the user; \`config.json\` is not read for it | not listed |
| Gemini CLI | \`skills.disabled\` | settings of the user and of the working folder, together | not listed |
| OpenCode | \`permission.skill\` with \`deny\`, patterns allowed | settings of the user and of the project | not listed |

## Not recorded

- **Cursor**: everything that Loadout does for it, hooks included, follows its documentation only. It was never run with
  Loadout: the npm registry has no program of it that runs without an account.
- **Windsurf, Zed, VS Code and other editors**: likewise, and Loadout has no hooks for them.
- **Hooks of Grok Build, Cline and Continue**: Grok Build drops the answers to a start and to a prompt, Cline takes only those around a tool,
  Continue 1.5.47 has the events and asks at none.
- **Subagents of Droid** need its service. **Kilo Code 7.8.1** lacks a program for Linux in the registry now, so its hooks are those of 7.7.7.
- **Pi 1.5.2** needs a package that the registry lacks; Amp, Crush and Junie fetch a program from elsewhere; Qoder asks for a login
  first; Augment and Command Code were not run.
- **Kiro, Goose and others** are not on npm. \`loadout see\` says for these that the limit is not known.
- **Clients with an account**: all runs used an API key, or none. A service may choose another model for an account, or
  switch features on from afar.
- **Interactive sessions**: each client was started with one prompt.
`
}

/** What was seen outside of the recorder, on 2026-11-19: parts of a plugin that reached the model. */
const PLUGINS: Readonly<Record<string, string>> = {
  'claude 2.1.197': 'skill, MCP, hooks',
  'codex 0.169.0': 'skill, MCP, hooks',
  'copilot 1.0.102': 'skill, MCP, hooks',
  'gemini 0.61.0': 'skill, MCP, hooks',
  'qwen 0.24.4': 'skill, MCP (0.15.10)',
  'droid 0.215.0': 'skill, MCP, hooks at start',
  'grok 1.0.41': 'skill',
  'opencode 1.18.33': 'has none',
}
const BY_HAND =
  '| Kilo Code | 7.7.7 | 2026-11-19 | start, prompt | yes | not tried | not tried | not tried | not tried |'

function row({
  agent,
  label,
  version,
  recorded,
  connected,
  mcp,
  hooks,
  subagents,
  instructions,
  libraries,
}: Recording): string {
  const server = mcp?.connected ? (mcp.named ? 'yes, tools named' : 'yes') : 'no'
  const reached = [...(hooks?.start ? ['start'] : []), ...(hooks?.prompt ? ['prompt'] : [])].join(', ')
  const inSubagents = subagents == null ? '–' : subagents ? 'yes' : 'no'
  const inFolder = 'proj/sub/'
  const every = namesIn(instructions.every ?? [], inFolder)
  const shared = namesIn(instructions.shared ?? [], inFolder).filter((name) => !every.includes(name))
  const names = [...every.map((name) => `\`${name}\``), ...shared.map((name) => `\`${name}\` if there is no other`)]
  const { shown = [] } = libraries.find(({ size }) => size === 100) ?? {}
  const listed = shown.filter((each) => each !== null && each > 0).length
  const days = connected === undefined || connected === recorded ? recorded : `${recorded}; hooks, MCP ${connected}`
  const cells = [
    label,
    version,
    days,
    reached || (HOOK_HOSTS.some((host) => host.agent === agent) ? 'not tried' : 'AGENTS.md'),
    inSubagents,
    server,
    PLUGINS[`${agent} ${version}`] ?? 'not tried',
    `${listed} of 100`,
  ]
  return `| ${[...cells, names.join(', ')].join(' | ')} |`
}

const namesIn = (files: readonly [path: string, bytes: number][], folder: string) =>
  files.flatMap(([path]) => (path.startsWith(folder) ? [path.slice(folder.length)] : []))

/** One for each model; those that saw the same share one. */
function seenRows({ label, version, libraries }: Recording): string[] {
  const rows = new Map<string, Set<string>>()
  for (const { model, cells } of modelRuns(libraries)) {
    const seen = cells.join(' | ')
    rows.set(seen, (rows.get(seen) ?? new Set()).add(model))
  }
  return [...rows].map(([seen, models]) => `| ${label} | ${version} | ${[...models].join(', ')} | ${seen} |`)
}

/** The runs of one model, from the smallest library to the largest: each size was tried with the same models. */
function modelRuns(libraries: Recording['libraries']): { model: string; cells: string[] }[] {
  const least = Math.min(...libraries.map(({ size }) => size))
  const perSize = libraries.filter(({ size }) => size === least).length
  return Array.from({ length: perSize }, (_, nth) => {
    const runs = libraries.filter((_, at) => at % perSize === nth)
    return { model: runs[0]?.asked ?? `${runs[0]?.model} (default)`, cells: runs.map(({ shown }) => cell(shown)) }
  })
}

function cell(shown: readonly (number | null)[]): string {
  const skills = librarySkills(shown.length)
  const whole = shown.filter((each, at) => each === skills[at]?.description.length).length
  const named = shown.filter((each) => each === 0).length
  const cut = shown.filter((each) => each !== null && each > 0).length - whole
  return [`${whole}`, ...(cut > 0 ? [`${cut} cut`] : []), ...(named > 0 ? [`${named} by name`] : [])].join(', ')
}
