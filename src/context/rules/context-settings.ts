import type { SanitizePolicy } from '../../text/sensitive/sanitize.ts'

/** A file that grounds an agent in the state of a project, or a pattern of which the latest few do. */
export interface ControlPlaneItem {
  /** A path or a glob inside the project. */
  pattern: string
  /** Missing: an error under --strict, not only a warning. */
  isRequired: boolean
  /** Of a glob: at most so many. */
  take: number
  /** Of a glob: by the date field and the version in it, newest first, or by path. */
  order: 'path' | 'latest'
  /** Fields of a JSON file that are shown in the summary, as dotted paths. */
  summary: readonly string[]
}

/** A kind of task, by the words that tell it, and the files it needs. */
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

/** Shares of the whole, in percent. Those of slices that a project does not have go to control plane and task. */
export interface Partitions {
  controlPlane: number
  task: number
  tactical: number
  adapter: number
}

export interface BudgetSettings {
  maxFiles: number
  maxCharsPerFile: number
  /** Of the whole rendering; tokens instead of characters when a tokenizer is asked for. */
  maxChars: number
  maxTokens: number | undefined
  partitions: Partitions
  /** Which of them the project set itself. */
  isSet: { maxFiles: boolean; maxCharsPerFile: boolean }
}

/** What a project says about its context, completed by a preset. */
export interface ContextSettings {
  /** `cortex`, `generic`, or `project` when the settings name their own control plane or intents. */
  preset: string
  controlPlane: readonly ControlPlaneItem[]
  /** In the order of precedence; the last is the default and needs no keywords. */
  intents: readonly Intent[]
  /** A JSONL file inside the project; undefined when the project keeps no notes. */
  tactical: { path: string } | undefined
  adapters: readonly AdapterSettings[]
  budget: BudgetSettings
  /** For findings in control-plane and task text. */
  sanitize: SanitizePolicy
  /** How the project's own files are searched; undefined where only patterns choose. */
  project: ProjectChoice | undefined
}

interface ProjectChoice {
  /** Globs of files that are never shown for a task. */
  exclude: readonly string[]
  /** Globs of files that count more. */
  boost: readonly string[]
  /** Whether past commits count. */
  history: boolean
  /** The control plane is what agents read in this project, and what of the README fits. */
  hasOwnPlane: boolean
  /** Intents that a user wrote bring their files in; those of the preset only lift what fits. */
  hasOwnIntents: boolean
}
