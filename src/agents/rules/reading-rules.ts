export const SCOPES = ['machine', 'user', 'project', 'agent', 'plugin'] as const
export const STARTS = ['own', 'home', 'machine', 'project', 'working'] as const

/** Where an agent's own program looks for skills, beginning from one of these. */
export interface SkillPlace {
  /** `own`: its own folder. `machine`: the root of the file system. `project`: each folder from the working one up. */
  from: (typeof STARTS)[number]
  path: string
  /** Whose skills these are. */
  scope: (typeof SCOPES)[number]
  /** Of a project: from its root down, not from the working folder up. */
  isOutermostFirst?: boolean | undefined
  /** Markdown files at any depth, each of which is one. Without it: folders with a SKILL.md. */
  isCommands?: boolean | undefined
}

/** A value that keeps a skill out of the list, by the author's own will. */
export interface HidingRule {
  /** Undefined: the frontmatter. Else a YAML file in the skill's folder. */
  file?: string | undefined
  key: readonly string[]
  /** `set`: any value that is not empty. */
  is: 'true' | 'false' | 'set'
  why: string
}

/** How an agent's own program finds and reads skills. */
export interface ReadingRules {
  /** In the order in which it looks. */
  places: readonly SkillPlace[]
  /** Folders of each plugin that is switched on, after the places; their skills are called `plugin:skill`. */
  plugins?:
    | {
        /** Where it is written down what is installed, in the own folder. */
        installed: string
        folders: readonly { path: string; isCommands?: boolean | undefined }[]
      }
    | undefined
  /** How many folders below a place the folder of a skill may lie. */
  depth: number
  skipsDotFolders: boolean
  /** Whether a SKILL.md may be a link. Linked folders are followed by all. */
  followsLinkedFiles: boolean
  /** In bytes. */
  largestFile?: number | undefined
  needsUtf8: boolean
  /** Whether frontmatter behind a byte order mark is seen. */
  readsBehindMark: boolean
  /** Whether blanks and line ends in texts become one blank. */
  joinsBlanks: boolean
  /** What names a skill; the folder does where the frontmatter is silent. */
  namedBy: 'folder' | 'frontmatter'
  longestName?: number | undefined
  /** A skill with a longer description is not listed. */
  longestDescription?: number | undefined
  /** Whether a skill is passed over when its frontmatter is silent about its name. */
  needsName?: boolean | undefined
  /** Whether a skill without a readable description is listed, by the first line of its text. */
  guessesDescription: boolean
  /** Joined to the description by ` - `. */
  describedAlsoBy?: string | undefined
  hiding: readonly HidingRule[]
  /** What happens to several skills of one name: the first answers, or none does, or only the last is listed. */
  sameName: 'first' | 'last' | 'none' | 'unknown'
  /** Whether those that do not answer are listed all the same. */
  listsDuplicates?: boolean | undefined
  /** What must be given before the folders of a project are read, where it cannot be seen whether it was. */
  trust?: string | undefined
  /** Whether it looks further up than the working folder where there is no repository. */
  climbsWithoutRepository: boolean
  /** By scope in this order, then by name and path. Absent: by place and name. */
  order?: readonly SkillPlace['scope'][] | undefined
}

/** What fits into the list of skills that an agent shows its model. */
export interface Listing {
  /**
   * What happens when it is full. `drop`: descriptions go, least used first. `shorten`: all grow shorter, then skills go.
   * `name`: from the first that does not fit on, they are only named. `never`: it has no limit.
   */
  overflow: 'drop' | 'shorten' | 'name' | 'never'
  /** What is counted. `columns`: as a terminal would show it. `tokens`: four bytes each, line by line. */
  unit: 'columns' | 'tokens' | 'characters'
  /** What it may take, where that does not depend on the model. */
  budget?: number | undefined
  /** What it may take otherwise: this share of the context window. */
  share?: number | undefined
  /** Of models that `models` does not name: the window, and what is counted for one token of it. */
  window?: number | undefined
  perToken?: number | undefined
  /** A longer window, for models whose name has this in it. */
  longWindow?: { mark: string; window: number } | undefined
  /** The model that it takes by itself, as a fresh installation with an API key did. */
  defaultModel?: string | undefined
  /** By the first row of which one mark is in the model's name. */
  models?: readonly ModelRow[] | undefined
  /** Of one description, in characters, with what stands for the rest. */
  perSkill?: number | undefined
  ellipsis?: string | undefined
  /** Where a skill is an element: the characters around its name, its description and what it shows besides. */
  frame?: number | undefined
  /** What else it says of a skill: the path of its file, that path behind the number of its folder, or whose it is. */
  shows?: 'path' | 'short path' | 'scope' | undefined
  /** Characters that become entities, such as `&lt;`, before anything is counted. */
  escapes?: string | undefined
  /** Skills that come with the program and are in no folder. */
  own: readonly OwnSkill[]
}

export interface ModelRow {
  marks: readonly string[]
  window?: number | undefined
  perToken?: number | undefined
  /** Of its own skills, those whose line is another with this model: name → columns. */
  own?: Readonly<Record<string, number>> | undefined
}

interface OwnSkill {
  name: string
  /** Of its line, or of its element with the line end. */
  columns: number
  /** Where they differ from the columns: line ends have none. */
  characters?: number | undefined
  /** Never shortened. */
  isKept: boolean
}

/** Files of instructions that an agent reads for a working folder. */
export interface InstructionRules {
  /** In its own folder or on the machine, the first of each list that is there. Not counted. */
  global: readonly { from: 'own' | 'home' | 'machine'; names: readonly string[] }[]
  /** In each folder down to the working one; the settings may name others. */
  names: readonly string[]
  /** Read instead where no folder has one of the names. */
  otherwise?: readonly string[] | undefined
  /** Whether only the first of the names counts in a folder. */
  isOnePerFolder: boolean
  /** Whether it starts at the root of the repository or of the file system, or reads only the working folder. */
  startsAt: 'repository' | 'machine' | 'working'
  /** Of all together. */
  mostBytes?: number | undefined
}

/** Where an agent is configured, and what of that changes its list. Later files win. */
export interface SettingsRules {
  files: readonly { from: (typeof SETTINGS_STARTS)[number]; path: string }[]
  format: (typeof SETTINGS_FORMATS)[number]
  /** The file with how often each skill was used, in the own folder or else in the home folder. */
  usageFile?: string | undefined
  variables: { budget?: string | undefined; model?: string | undefined }
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
  /** Skill → `on`, `name-only`, `user-invocable-only` or `off`; each as the last file says that names it. */
  'overrides',
  'withoutOwn',
  'plugins',
  'mostBytes',
  'moreNames',
  'names',
  /** Tables with `path` or `name`, and `enabled`. */
  'switches',
  /** Names of skills that are off, of all files together. */
  'disabled',
  /** Pattern → `deny` or another word; the last that fits counts. */
  'permissions',
] as const

type SettingsKey = (typeof SETTINGS_KEYS)[number]

/** What an agent's own program does with skills and instructions. */
export interface Rules {
  reading: ReadingRules
  /** Absent: nothing is known of a limit. */
  listing?: Listing | undefined
  instructions?: InstructionRules | undefined
  settings?: SettingsRules | undefined
}
