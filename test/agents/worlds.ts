/** Files by their path below a home folder. The project is `proj`, and agents are started in `proj/sub`. */
export type World = Readonly<Record<string, string>>

export const SIZES = [20, 100, 500] as const

export interface LibrarySkill {
  name: string
  description: string
}

const WORDS =
  'review release deploy migrate schema invoice ledger socket render cache token branch merge lint trace'.split(' ')

/** Descriptions as people write them: most are short, some far too long, some wide, some with characters that are escaped. */
export function librarySkills(size: number): LibrarySkill[] {
  return Array.from({ length: size }, (_, at) => ({
    name: `skill-${String(at).padStart(3, '0')}`,
    description: describe(at),
  }))
}

function describe(at: number): string {
  const words = Array.from({ length: 4 + ((at * 7) % 29) }, (_, nth) => WORDS[(at * 3 + nth * 5) % WORDS.length])
  const text = `Number ${at}: ${words.join(' ')}.`
  if (at % 25 === 24) return `${text} ${'Use it when nothing else fits. '.repeat(60).trim()}`
  if (at % 10 === 3) return `${text} 説明は全角文字で書かれています。`
  if (at % 10 === 7) return `${text} Not for <b>, "quotes" & the like.`
  return text
}

export function libraryWorld(folder: string, size: number): World {
  return Object.fromEntries(
    librarySkills(size).map(({ name, description }) => [`${folder}/${name}/SKILL.md`, skillText(name, description)]),
  )
}

function skillText(name: string, description: string): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n# How\n\nStep by step.\n`
}

const OWN = ['.claude', '.codex', '.agents', '.gemini', '.copilot', '.cursor', '.github', '.opencode', '.qwen']
const OTHERS = ['.pi', '.kimi', '.kimi-code', '.continue', '.grok', '.factory', '.cline', '.kilo', '.kilocode']

/** Where some agent might look for skills. */
export const PLACES: readonly string[] = [
  ...[...OWN, ...OTHERS].map((own) => `${own}/skills`),
  '.pi/agent/skills',
  '.config/kilo/skills',
  '.config/agents/skills',
  '.config/opencode/skills',
  '.config/opencode/skill',
  ...['proj', 'proj/sub'].flatMap((folder) => [
    ...[...OWN, ...OTHERS].map((own) => `${folder}/${own}/skills`),
    `${folder}/.opencode/skill`,
    `${folder}/skills`,
  ]),
]

/** The name of a skill that is in one place only. */
export function nameAt(place: string): string {
  return `at-${place.replaceAll(/[^a-z]+/g, '-').replace(/^-/, '')}`
}

/** One skill in every place; and one that is everywhere, whose description says where it is. */
export function placesWorld(): World {
  return Object.fromEntries(
    PLACES.flatMap((place) => [
      [`${place}/${nameAt(place)}/SKILL.md`, skillText(nameAt(place), `Only in ${place}.`)],
      [`${place}/twice/SKILL.md`, skillText('twice', `Read from ${place}.`)],
    ]),
  )
}

const LOCAL_FILES = [
  'AGENTS.override.md',
  'AGENTS.md',
  'CLAUDE.md',
  'CLAUDE.local.md',
  '.claude/CLAUDE.md',
  'GEMINI.md',
  'QWEN.md',
  '.github/copilot-instructions.md',
]

const FOLDERS = ['', 'proj/', 'proj/sub/']

const USER_FILES = [
  '.claude/CLAUDE.md',
  '.codex/AGENTS.md',
  '.codex/AGENTS.override.md',
  '.gemini/GEMINI.md',
  '.gemini/AGENTS.md',
  '.config/opencode/AGENTS.md',
  '.copilot/copilot-instructions.md',
  '.copilot/AGENTS.md',
  '.agents/AGENTS.md',
  '.qwen/QWEN.md',
  '.factory/AGENTS.md',
  '.kimi-code/AGENTS.md',
  '.pi/agent/AGENTS.md',
  '.grok/AGENTS.md',
  '.config/kilo/AGENTS.md',
]

/** A text whose every beginning is like no other text. */
export function instructionText(path: string, bytes = 200): string {
  const line = (at: number) => `${path} line ${at}\n`
  let text = ''
  for (let at = 1; text.length < bytes; at++) text += line(at)
  return text.slice(0, bytes)
}

const files = (paths: readonly string[], bytes?: number): World =>
  Object.fromEntries(paths.map((path) => [path, instructionText(path, bytes)]))

/** What is there to be read as instructions, in worlds of their own. */
export const INSTRUCTION_WORLDS: Readonly<Record<string, World>> = {
  /** Every name that some agent reads. */
  every: files([...new Set([...USER_FILES, ...FOLDERS.flatMap((folder) => LOCAL_FILES.map((name) => folder + name))])]),
  /** Only the name that all agents share. */
  shared: files(['AGENTS.md', 'proj/AGENTS.md', 'proj/sub/AGENTS.md']),
  /** Half of the folders have their own name as well. */
  mixed: files(['proj/AGENTS.md', 'proj/CLAUDE.md', 'proj/GEMINI.md', 'proj/sub/AGENTS.md']),
  /** Only the name of one agent. */
  claude: files(['proj/CLAUDE.md', 'proj/sub/CLAUDE.md']),
  /** The user's own file beside the shared name. */
  user: files(['.claude/CLAUDE.md', '.gemini/GEMINI.md', '.copilot/copilot-instructions.md', 'proj/AGENTS.md']),
  /** More than some agents read. */
  large: files(
    ['proj', 'proj/sub'].flatMap((folder) =>
      ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'].map((name) => `${folder}/${name}`),
    ),
    25_000,
  ),
}
