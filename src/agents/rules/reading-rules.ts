/** Where an agent's own program looks for skills, beginning from one of these. */
export interface SkillPlace {
  /** `own`: its own folder. `machine`: the root of the file system. `project`: each folder from the working one up. */
  from: 'own' | 'home' | 'machine' | 'project' | 'working'
  path: string
  /** Whose skills these are. */
  scope: 'machine' | 'user' | 'project' | 'agent' | 'plugin'
  /** Of a project: from its root down, not from the working folder up. */
  isOutermostFirst?: true
  /** Markdown files at any depth, each of which is one. Without it: folders with a SKILL.md. */
  isCommands?: true
}

/** A value that keeps a skill out of the list, by the author's own will. */
export interface HidingRule {
  /** Undefined: the frontmatter. Else a YAML file in the skill's folder. */
  file?: string
  key: readonly string[]
  /** `set`: any value that is not empty. */
  is: boolean | 'set'
  why: string
}

/** How an agent's own program finds and reads skills. */
export interface ReadingRules {
  /** In the order in which it looks. */
  places: readonly SkillPlace[]
  /** Folders of each plugin that is switched on, after the places; their skills are called `plugin:skill`. */
  plugins?: {
    /** Where it is written down what is installed, in the own folder. */
    installed: string
    folders: readonly { path: string; isCommands?: true }[]
  }
  /** How many folders below a place the folder of a skill may lie. */
  depth: number
  skipsDotFolders: boolean
  /** Whether a SKILL.md may be a link. Linked folders are followed by all. */
  followsLinkedFiles: boolean
  /** In bytes. */
  largestFile?: number
  needsUtf8: boolean
  /** Whether frontmatter behind a byte order mark is seen. */
  readsBehindMark: boolean
  /** Whether blanks and line ends in texts become one blank. */
  joinsBlanks: boolean
  /** What names a skill; the folder does where the frontmatter is silent. */
  namedBy: 'folder' | 'frontmatter'
  longestName?: number
  /** Whether a skill is passed over when its frontmatter is silent about its name. */
  needsName?: true
  /** Whether a skill without a readable description is listed, by the first line of its text. */
  guessesDescription: boolean
  /** Joined to the description by ` - `. */
  describedAlsoBy?: string
  hiding: readonly HidingRule[]
  /** What happens to several skills of one name: the first answers, or none does, or only the last is listed. */
  sameName: 'first' | 'last' | 'none' | 'unknown'
  /** What must be given before the folders of a project are read, where it cannot be seen whether it was. */
  trust?: string
  /** Whether it looks further up than the working folder where there is no repository. */
  climbsWithoutRepository: boolean
  /** By place and name in their order; or by scope, name and path. */
  order: 'place' | readonly SkillPlace['scope'][]
}

/** What fits into the list of skills that an agent shows its model. */
export interface Listing {
  /** Of the context window. */
  share: number
  window: number
  /** A longer window, for models whose name has this in it. */
  longWindow?: { mark: string; window: number }
  /** What the share is counted in. `columns`: as a terminal would show it. `tokens`: four bytes each, line by line. */
  unit: 'columns' | 'tokens'
  /** Columns for a token; models that are named but not among these have `otherwise`. */
  perToken?: { usual: number; models: readonly string[]; otherwise: number }
  /** Of one description, in characters, with what stands for the rest. */
  perSkill: number
  ellipsis: string
  /** What happens when it is full: descriptions go, least used first; or all grow shorter, then skills go. */
  overflow: 'drop' | 'shorten'
  /** Whether a line ends with the path of the file. */
  showsPath: boolean
  /** Skills that come with the program and are in no folder. */
  own: readonly OwnSkill[]
}

interface OwnSkill {
  name: string
  /** Of its line. */
  columns: number
  /** Never shortened. */
  isKept: boolean
}

/** Files of instructions that an agent reads for a working folder. */
export interface InstructionRules {
  /** In its own folder or on the machine, the first of each list that is there. Not counted. */
  global: readonly { from: 'own' | 'machine'; names: readonly string[] }[]
  /** In each folder down to the working one. */
  names: readonly string[]
  /** Whether only the first of the names counts in a folder. */
  isOnePerFolder: boolean
  /** Whether it starts at the root of the repository, or of the file system. */
  startsAt: 'repository' | 'machine'
  /** Of all together. */
  mostBytes?: number
}

/** Where an agent is configured, and what of that changes its list. Later files win. */
export interface SettingsRules {
  files: readonly { from: 'own' | 'home' | 'machine' | 'project'; path: string }[]
  format: 'json' | 'toml'
  /** The file with how often each skill was used, in the own folder or else in the home folder. */
  usageFile?: string
  variables: { budget?: string; model?: string }
  keys: {
    share?: string
    perSkill?: string
    model?: string
    window?: string
    overrides?: string
    withoutOwn?: string
    plugins?: string
    mostBytes?: string
    moreNames?: string
    /** Tables with `path` or `name`, and `enabled`. */
    switches?: string
  }
}
