/** How an agent's program takes skills for one start of it, and which it cannot. To add an agent, add a row. */
interface SessionSet {
  agent: string
  /** Below the folder that it is given, where it looks for skills. */
  place: string
  /** What makes it read that folder too; absent if nothing does. */
  add?(folder: string): ProgramStart
  /** What keeps these skills out of its list; absent if nothing does. */
  hide?(names: readonly string[]): ProgramStart
}

/** Arguments before those of the user, and variables. */
export interface ProgramStart {
  args?: readonly string[]
  env?: Readonly<Record<string, string>>
}

const json = JSON.stringify
const each = (names: readonly string[], word: string) => Object.fromEntries(names.map((name) => [name, word]))

/** OpenCode merges this variable over its files. */
const inVariable = (variable: string, agent: string): SessionSet => ({
  agent,
  place: 'skills',
  add: (folder) => ({ env: { [variable]: json({ skills: { paths: [`${folder}/skills`] } }) } }),
  hide: (names) => ({ env: { [variable]: json({ permission: { skill: each(names, 'deny') } }) } }),
})

/** Each was run with and without, on 2026-11-19. */
export const SESSION_SETS: readonly SessionSet[] = [
  {
    agent: 'claude',
    place: '.claude/skills',
    add: (folder) => ({ args: [`--add-dir=${folder}`] }),
    hide: (names) => ({ args: [`--settings=${json({ skillOverrides: each(names, 'off') })}`] }),
  },
  {
    agent: 'codex',
    place: '',
    hide: (names) => {
      const rows = names.map((name) => `{name=${json(name)},enabled=false}`)
      return { args: ['-c', `skills.config=[${rows.join(',')}]`] }
    },
  },
  { agent: 'copilot', place: '.github/skills', add: (folder) => ({ args: [`--add-dir=${folder}`] }) },
  { agent: 'pi', place: 'skills', add: (folder) => ({ args: ['--skill', `${folder}/skills`] }) },
  inVariable('OPENCODE_CONFIG_CONTENT', 'opencode'),
  inVariable('KILO_CONFIG_CONTENT', 'kilo'),
]

/** One start of what several need; variables with JSON are merged. */
export function joinStarts(starts: readonly ProgramStart[]): Required<ProgramStart> {
  const env: Record<string, string> = {}
  for (const [name, value] of starts.flatMap((start) => Object.entries(start.env ?? {}))) {
    env[name] = env[name] === undefined ? value : json({ ...JSON.parse(env[name]), ...JSON.parse(value) })
  }
  return { args: starts.flatMap(({ args = [] }) => args), env }
}
