import * as z from 'zod/mini'
import { splitWords } from '../../payloads/rules/words.ts'
import { STRATEGIES } from '../../search/strategy.ts'
import { globProblem, isGlob } from '../../text/glob.ts'
import { pathProblem } from '../../text/paths.ts'
import { DEFAULT_BUDGET } from '../rules/presets.ts'

const LONGEST_TEXT = 1000

/** A rule that no type can express: what is wrong with a value, or undefined. */
function rule<T>(problemOf: (value: T) => string | undefined) {
  return z.check<T>(({ value, issues }) => {
    const message = problemOf(value)
    if (message !== undefined) issues.push({ code: 'custom', message, input: value })
  })
}

const note = (description: string) => z.describe(description)

const glob = () => z.string().check(rule(globProblem))

const path = () =>
  z
    .string()
    .check(rule((text) => pathProblem(text) ?? (isGlob(text) ? 'it is a glob, but one path is asked for' : undefined)))

const wholeNumber = (from: number, to: number) => z.int().check(z.gte(from), z.lte(to))

const share = (description: string) => z.optional(z.number().check(z.gte(0), z.lte(100), note(description)))

const text = () => z.string().check(z.minLength(1), z.maxLength(LONGEST_TEXT))

/** Not both, not none. The JSON Schema says it in its own words. */
function exactlyOne<T extends object>(...keys: readonly (keyof T & string)[]) {
  return [
    rule<T>((value) => {
      const given = keys.filter((key) => value[key] !== undefined)
      if (given.length === 1) return undefined
      return `needs ${given.length === 0 ? 'one' : 'only one'} of ${keys.map((key) => `"${key}"`).join(' and ')}`
    }),
    z.meta({ oneOf: keys.map((key) => ({ required: [key] })) }),
  ] as const
}

const controlPlaneFields = z.strictObject({
  path: z.optional(path().check(note('One file inside the project.'))),
  glob: z.optional(glob().check(note('Files inside the project.'))),
  required: z.optional(z.boolean().check(note('Under --strict, its absence is an error.'))),
  take: z.optional(wholeNumber(1, 100).check(note('Of a glob: at most so many.'))),
  order: z.optional(
    z.enum(['path', 'latest']).check(note('Of a glob: by path, or the latest first, by the date that a file states.')),
  ),
  summary: z.optional(z.array(text()).check(note('Fields of a JSON file that the summary shows, as dotted paths.'))),
})

const controlPlaneItem = z.union([
  z.string().check(rule(globProblem)),
  controlPlaneFields.check(...exactlyOne<z.output<typeof controlPlaneFields>>('path', 'glob')),
])

const intent = z.strictObject({
  keywords: z.optional(
    z
      .array(text().check(rule((word) => (splitWords(word).length === 0 ? 'it holds no word' : undefined))))
      .check(note('Whole words of a task that tell this kind.')),
  ),
  include: z.array(glob()).check(note('Files that such a task needs, in this order.')),
})

const adapterFields = z.strictObject({
  id: z.string().check(z.regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/), note('Its name in the bundle.')),
  file: z.optional(path().check(note('A JSON file inside the project.'))),
  command: z.optional(
    z
      .array(
        z.string().check(
          z.maxLength(LONGEST_TEXT),
          rule((word) => (word.includes('\0') ? 'it contains a NUL character' : undefined)),
        ),
      )
      .check(
        z.minLength(1),
        rule(([program]) => (program === '' ? 'it names no program' : undefined)),
        note('A program with its arguments, run without a shell, that prints the JSON.'),
      ),
  ),
  maxItems: z.optional(wholeNumber(1, 1000)),
  staleAfterSeconds: z.optional(wholeNumber(0, 315_360_000)),
  timeoutMs: z.optional(wholeNumber(1, 60_000)),
})

const adapter = adapterFields.check(...exactlyOne<z.output<typeof adapterFields>>('file', 'command'))

const partitions = z
  .strictObject({
    controlPlane: share('Percent of the whole.'),
    task: share('Percent of the whole.'),
    tactical: share('Percent of the whole.'),
    adapter: share('Percent of the whole.'),
  })
  .check(
    rule((given) => {
      const shares = Object.entries({ ...DEFAULT_BUDGET.partitions, ...given })
      const sum = shares.reduce((total, [, percent]) => total + percent, 0)
      const parts = shares.map(([name, percent]) => `${name} ${percent}`).join(', ')
      return sum > 100 ? `must sum to at most 100, but is ${sum}, defaults included: ${parts}` : undefined
    }),
  )

const budget = z
  .strictObject({
    maxFiles: z.optional(wholeNumber(0, 10_000)),
    maxCharsPerFile: z.optional(wholeNumber(0, 10_000_000)),
    maxChars: z.optional(wholeNumber(0, 10_000_000).check(note('Of the whole bundle. Default: files × characters.'))),
    maxTokens: z.optional(wholeNumber(0, 2_500_000).check(note('Of the whole bundle, instead of characters.'))),
    partitions: z.optional(partitions),
  })
  .check(
    rule(({ maxChars, maxTokens }) =>
      maxChars !== undefined && maxTokens !== undefined ? 'needs only one of "maxChars" and "maxTokens"' : undefined,
    ),
    z.meta({ not: { required: ['maxChars', 'maxTokens'] } }),
  )

/** Keys that look like numbers would lose their place among the others. */
const intentKey = z.string().check(z.regex(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/))

const NAMED_INTENT = 'needs "keywords"; only "default" goes without'

/** The whole of `loadout.json`. `src/machine/settings.ts` reads the two keys that a plan needs without any of this. */
export const settingsSchema = z.strictObject({
  $schema: z.optional(z.string()),
  payloads: z.optional(z.array(glob()).check(note('Payload files that the index is built from.'))),
  routing: z.optional(z.strictObject({ strategy: z.optional(z.enum(STRATEGIES)) })),
  preset: z.optional(
    z.enum(['cortex', 'generic']).check(note('What completes these settings. Default: by what the project has.')),
  ),
  controlPlane: z.optional(z.array(controlPlaneItem).check(note('Files that every task starts from, in this order.'))),
  intents: z.optional(
    z.record(intentKey, intent).check(
      z.check(({ value, issues }) => {
        for (const [key, { keywords = [] }] of Object.entries(value)) {
          if (key === 'default' || keywords.length > 0) continue
          issues.push({ code: 'custom', message: NAMED_INTENT, input: value[key], path: [key] })
        }
      }),
      note('Kinds of tasks, in the order of precedence, with the files each needs.'),
    ),
  ),
  tactical: z.optional(z.strictObject({ path: path().check(note('A JSONL file of short-lived notes.')) })),
  adapters: z.optional(
    z.array(adapter).check(
      rule((adapters) => {
        const ids = adapters.map(({ id }) => id)
        const twice = ids.find((id, at) => ids.indexOf(id) !== at)
        return twice === undefined ? undefined : `has "${twice}" twice`
      }),
      note('Other tools whose data may enter a bundle.'),
    ),
  ),
  budget: z.optional(budget),
  sanitize: z.optional(
    z.enum(['warn', 'mask', 'drop']).check(note('What to do about secrets in control plane and task files.')),
  ),
})

export type SettingsFile = z.output<typeof settingsSchema>
