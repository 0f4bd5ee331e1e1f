export const SCOPES = ['machine', 'user', 'project', 'agent', 'plugin'] as const
export const STARTS = ['own', 'home', 'machine', 'project', 'root', 'working'] as const

/** A folder in which an agent looks for skills. */
export interface SkillPlace {
  /** The start of `path`. `own`: the agent's folder. `machine`: `/`. `project`: each folder from the working one up. `root`: the last of these. */
  from: (typeof STARTS)[number]
  path: string
  /** Whose skills these are. */
  scope: (typeof SCOPES)[number]
  /** In a project: from its root down instead of from the working folder up. */
  isOutermostFirst?: boolean
  /** Each Markdown file at any depth is a command. Otherwise: each folder with a SKILL.md is a skill. */
  isCommands?: boolean
  /** Each JavaScript file with a name and a description is a workflow. */
  isWorkflows?: boolean
}

/** A value with which the author hides a skill from the list. */
export interface HidingRule {
  /** A YAML file in the skill's folder; undefined for the frontmatter. */
  file?: string
  key: readonly string[]
  /** `set`: any value that is not empty. */
  is: 'true' | 'false' | 'set'
  why: string
}

/** How an agent's own program finds and reads skills. */
export interface ReadingRules {
  /** In the order of its search. */
  places: readonly SkillPlace[]
  /** Folders of enabled plugins, searched after the places; their skills are named `plugin:skill`. */
  plugins?: {
    /** The file that lists installed plugins, in the agent's own folder. */
    installed: string
    folders: readonly Pick<SkillPlace, 'path' | 'isCommands' | 'isWorkflows'>[]
  }
  /** How many levels below a place the folder of a skill may be. */
  depth: number
  skipsDotFolders: boolean
  /** Whether a SKILL.md may be a link. All agents follow linked folders. */
  followsLinkedFiles: boolean
  /** In bytes. */
  largestFile?: number
  needsUtf8: boolean
  /** Whether it reads frontmatter after a byte order mark. */
  readsBehindMark: boolean
  /** Whether it joins blanks and line ends into one blank. */
  joinsBlanks: boolean
  /** Where the name of a skill comes from; the folder if the frontmatter has none. */
  namedBy: 'folder' | 'frontmatter'
  longestName?: number
  /** It does not list a skill with a longer description. */
  longestDescription?: number
  /** Whether it ignores a skill without a name in its frontmatter. */
  needsName?: boolean
  /** Whether it lists a skill without a readable description by the first line of its text. */
  guessesDescription: boolean
  /** A key whose value is appended to the description, after ` - `. */
  describedAlsoBy?: string
  hiding: readonly HidingRule[]
  /** Which of several skills with the same name the agent uses. `last`: it lists only that one. */
  sameName: 'first' | 'last' | 'none' | 'unknown'
  /** Whether it also lists the others. */
  listsDuplicates?: boolean
  /** What the user must do before the agent reads the folders of a project, if Loadout cannot check it. */
  trust?: string
  /** Whether it also searches parent folders if there is no repository. */
  climbsWithoutRepository: boolean
  /** The order of the list: by these scopes, then by name and path. Absent: by place and name. */
  order?: readonly SkillPlace['scope'][]
}

/** The limits of the list of skills that an agent shows its model. */
export interface Listing {
  /**
   * What happens if the list is full. `drop`: it drops descriptions, the least used first. `shorten`: it shortens all
   * descriptions, then drops skills. `name`: after the first skill that does not fit, only names. `never`: no limit.
   */
  overflow: 'drop' | 'shorten' | 'name' | 'never'
  /** `columns`: the width in a terminal. `tokens`: four bytes each, counted for each line. */
  unit: 'columns' | 'tokens' | 'characters'
  /** The maximum size, if it does not depend on the model. */
  budget?: number
  /** Otherwise the maximum is this share of the context window. */
  share?: number
  /** For models that `models` does not name: the context window, and the units for one token. */
  window?: number
  perToken?: number
  /** A larger window, for models whose name contains the mark. */
  longWindow?: { mark: string; window: number }
  /** The default model of a new installation with an API key. */
  defaultModel?: string
  /** The first row with a mark in the model's name applies. */
  models?: readonly ModelRow[]
  /** The maximum length of a description in characters, including the ellipsis. */
  perSkill?: number
  ellipsis?: string
  /** What its lines begin with, if not with `- `. */
  bullet?: string
  /** If a skill is an XML element: the number of characters around its name, its description and `shows`. */
  frame?: number
  /** What else it lists: the path of the file, the number of the place with the relative path, or the scope. */
  shows?: 'path' | 'short path' | 'scope'
  /** Characters that it replaces by entities, such as `&lt;`, before it counts. */
  escapes?: string
  /** Skills inside of the agent's program. */
  own: readonly OwnSkill[]
}

export interface ModelRow {
  marks: readonly string[]
  window?: number
  perToken?: number
  /** Own skills with a different line for this model: name → columns. */
  own?: Readonly<Record<string, number>>
}

interface OwnSkill {
  name: string
  /** The width of its line, or of its element with the line end. */
  columns: number
  /** Set if they differ from the columns: line ends have no width. */
  characters?: number
  /** Never shortened. */
  isKept: boolean
}

/** The instruction files that an agent reads for a working folder. */
export interface InstructionRules {
  /** In its own folder or on the machine, the first existing file of each list. They do not count for `mostBytes`. */
  global: readonly { from: 'own' | 'home' | 'machine'; names: readonly string[] }[]
  /** File names in each folder down to the working one; the settings may change them. */
  names: readonly string[]
  /** Used if no folder has one of the names. */
  otherwise?: readonly string[]
  /** Whether it reads only the first existing name in a folder. */
  isOnePerFolder: boolean
  /** The first folder: the root of the repository, the root of the file system, or only the working folder. */
  startsAt: 'repository' | 'machine' | 'working'
  /** The maximum of all files together. */
  mostBytes?: number
  /** The files nearest to the working folder come first, also for the maximum. */
  isInnermostFirst?: boolean
}

/** The settings files of an agent, and the keys that change its list. Later files win. */
export interface SettingsRules {
  files: readonly { from: (typeof SETTINGS_STARTS)[number]; path: string }[]
  format: (typeof SETTINGS_FORMATS)[number]
  /** The file that counts the uses of each skill, in the agent's own folder if that was moved, else in the home folder. */
  usageFile?: string
  variables: { budget?: string; model?: string }
  keys: Readonly<Partial<Record<SettingsKey, string | undefined>>>
}

/** `project`: the working folder. `repository`: each folder from the root of the repository down to the working one. */
export const SETTINGS_STARTS = ['own', 'home', 'machine', 'project', 'repository'] as const
export const SETTINGS_FORMATS = ['json', 'json with comments', 'toml'] as const

export const SETTINGS_KEYS = [
  'share',
  'perSkill',
  'model',
  'window',
  /** Skill → `on`, `name-only`, `user-invocable-only` or `off`; for each skill, the last file wins. */
  'overrides',
  'withoutOwn',
  'plugins',
  'mostBytes',
  'moreNames',
  'names',
  /** Tables with `path` or `name`, and `enabled`. */
  'switches',
  /** Names of disabled skills, from all files together. */
  'disabled',
  /** Pattern → `deny` or another word; the last match wins. */
  'permissions',
] as const

type SettingsKey = (typeof SETTINGS_KEYS)[number]

/** What an agent's program does with skills and instructions. */
export interface Rules {
  reading: ReadingRules
  /** Absent: the limits are unknown. */
  listing?: Listing
  instructions?: InstructionRules
  settings?: SettingsRules
}
