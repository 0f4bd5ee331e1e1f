import type { SanitizePolicy } from '../../text/sensitive/detect.ts'
import type { Rendering } from './render.ts'

/** A file that describes the state of a project, or a pattern whose latest matches do. */
export interface ControlPlaneItem {
  /** A path or a glob inside the project. */
  pattern: string
  /** If missing: an error under --strict, otherwise a warning. */
  isRequired: boolean
  /** For a glob: the maximum number. */
  take: number
  /** For a glob: by the date field and the version in it, newest first, or by path. */
  order: 'path' | 'latest'
  /** Fields of a JSON file that are shown in the summary, as dotted paths. */
  summary: readonly string[]
}

/** A kind of task, with its keywords and the files it needs. */
export interface Intent {
  key: string
  /** Whole words, or several: `north star`. */
  keywords: readonly string[]
  include: readonly string[]
}

export interface AdapterSettings {
  id: string
  /** Exactly one of both. A path inside the project, or a program with its arguments. */
  file: string | undefined
  command: readonly string[] | undefined
  maxItems: number
  staleAfterSeconds: number
  timeoutMs: number
}

/** Percentages of the whole. Shares of slices that a project does not have go to control plane and task. */
export interface Partitions {
  controlPlane: number
  task: number
  tactical: number
  adapter: number
}

export interface BudgetSettings {
  maxFiles: number
  maxCharsPerFile: number
  /** For the whole rendering; in tokens instead of characters if a tokenizer is requested. */
  maxChars: number
  maxTokens: number | undefined
  partitions: Partitions
  /** Which of them the project set itself. */
  isSet: { maxFiles: boolean; maxCharsPerFile: boolean }
}

/** The context settings of a project, completed by a preset. */
export interface ContextSettings {
  /** `cortex`, `generic`, or `project` when the settings name their own control plane or intents. */
  preset: string
  controlPlane: readonly ControlPlaneItem[]
  /** In the order of precedence; the last is the default and needs no keywords. */
  intents: readonly Intent[]
  /** A JSONL file inside the project; undefined without notes. */
  tactical: { path: string } | undefined
  adapters: readonly AdapterSettings[]
  budget: BudgetSettings
  /** For findings in control-plane and task text. */
  sanitize: SanitizePolicy
  /** How to search the project's own files; undefined if only patterns choose. */
  project: ProjectChoice | undefined
}

interface ProjectChoice {
  /** Globs of files that are never shown for a task. */
  exclude: readonly string[]
  /** Globs of files that rank higher. */
  boost: readonly string[]
  /** Whether past commits count. */
  history: boolean
  /** The project lists its control plane. If not, it is what agents read there, and the fitting part of the README. */
  hasOwnPlane: boolean
  /** The project has its own intents, which add files. That of the preset chooses only if no file matches. */
  hasOwnIntents: boolean
}

/** What a caller asks for. */
export interface ContextRequest {
  task: string
  project?: string
  /** Overrides the intent detected from the task. */
  intent?: string
  maxFiles?: number
  maxCharsPerFile?: number
  maxChars?: number
  maxTokens?: number
  /** Counts tokens; four characters each by default. */
  tokenizer?: string
  /** Show the tests of the chosen files, instead of only naming them. */
  withTests?: boolean
  /** Files that the agent has open: what belongs to them comes first. Paths from the root of the project. */
  near?: readonly string[]
  /** Optional slices to leave out. */
  without?: readonly ('tactical' | 'adapter')[]
  /** The time at which expiry and freshness are evaluated. */
  now?: Date
  unrestricted?: boolean
  /** A missing control plane and a failed slice are errors. */
  strict?: boolean
  /** Where to write the bundle. A file inside the project is not a source of the bundle. */
  out?: { path: string; format: Rendering | 'json' }
  /** Paths inside the project that are not sources; overrides those of `out`. */
  excluded?: readonly string[]
  isRecorded?: boolean
  /** Maximum tokens of the reply. A larger one is not recorded: the caller asks again for less. */
  mostTaken?: number
  /** A preview: recorded as planned, without a record for replay. */
  isOnlyPlanned?: boolean
  signal?: AbortSignal
}
