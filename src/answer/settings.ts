import { join } from 'node:path'
import { isFile } from '../machine/files.ts'
import type { Project } from '../machine/open-project.ts'
import type { SettingsFile } from '../machine/rules/settings-shape.ts'
import { isGlob } from '../text/glob.ts'
import type {
  AdapterSettings,
  BudgetSettings,
  ContextSettings,
  ControlPlaneItem,
  Intent,
} from './rules/context-settings.ts'
import { choosePreset, DEFAULT_BUDGET, DEFAULT_INTENT, PRESETS } from './rules/presets.ts'

const DEFAULT_ADAPTER = { maxItems: 20, staleAfterSeconds: 86_400, timeoutMs: 2000 }

// Used to count without a tokenizer.
const CHARS_PER_TOKEN = 4

/** The context settings of a project, completed by the matching preset. */
export function contextSettings({ root, settings }: Project): ContextSettings {
  const preset = PRESETS.find((known) => known.preset === settings.preset)
  return complete(settings, preset ?? choosePreset((each) => isFile(join(root, each))))
}

function complete(file: SettingsFile, preset: ContextSettings): ContextSettings {
  const isOwn = file.controlPlane !== undefined || file.intents !== undefined
  return {
    preset: isOwn ? 'project' : preset.preset,
    controlPlane: file.controlPlane?.map(toItem) ?? preset.controlPlane,
    intents: file.intents === undefined ? preset.intents : toIntents(file.intents, preset.intents),
    tactical: file.tactical ?? preset.tactical,
    adapters: file.adapters?.map(toAdapter) ?? preset.adapters,
    budget: toBudget(file.budget ?? {}, preset.budget),
    sanitize: file.sanitize ?? preset.sanitize,
    project: preset.project && {
      exclude: file.project?.exclude ?? [],
      boost: file.project?.boost ?? [],
      history: file.project?.history ?? true,
      hasOwnPlane: file.controlPlane !== undefined,
      hasOwnIntents: file.intents !== undefined,
    },
  }
}

type ItemInFile = NonNullable<SettingsFile['controlPlane']>[number]

function toItem(item: ItemInFile): ControlPlaneItem {
  const {
    path,
    glob,
    required = false,
    take,
    order = 'path',
    summary = [],
  } = typeof item === 'string' ? { path: item } : item
  const pattern = path ?? glob ?? ''
  return {
    pattern,
    isRequired: required,
    take: take ?? (isGlob(pattern) ? DEFAULT_BUDGET.maxFiles : 1),
    order,
    summary,
  }
}

/** In the order of the file; the default last, from the preset if the file has none. */
function toIntents(given: NonNullable<SettingsFile['intents']>, preset: readonly Intent[]): Intent[] {
  const intents = Object.entries(given).map(([key, { keywords = [], include }]) => ({ key, keywords, include }))
  const others = intents.filter(({ key }) => key !== DEFAULT_INTENT)
  return [...others, ...[...intents, ...preset].filter(({ key }) => key === DEFAULT_INTENT).slice(0, 1)]
}

type AdapterInFile = NonNullable<SettingsFile['adapters']>[number]

function toAdapter({ file, command, ...given }: AdapterInFile): AdapterSettings {
  return { ...DEFAULT_ADAPTER, ...given, file, command }
}

/** A project that sets files or characters per file, but no total, gets their product. */
function toBudget(given: NonNullable<SettingsFile['budget']>, preset: BudgetSettings): BudgetSettings {
  const { maxFiles = preset.maxFiles, maxCharsPerFile = preset.maxCharsPerFile, maxTokens } = given
  const isSet = { maxFiles: given.maxFiles !== undefined, maxCharsPerFile: given.maxCharsPerFile !== undefined }
  const product = maxFiles * (given.maxCharsPerFile ?? DEFAULT_BUDGET.maxCharsPerFile)
  const whole = isSet.maxFiles || isSet.maxCharsPerFile ? product : preset.maxChars
  const maxChars = given.maxChars ?? (maxTokens === undefined ? whole : maxTokens * CHARS_PER_TOKEN)
  const partitions = { ...preset.partitions, ...given.partitions }
  return { maxFiles, maxCharsPerFile, maxChars, maxTokens, partitions, isSet }
}
