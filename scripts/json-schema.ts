import * as z from 'zod/mini'
import { settingsSchema } from '../src/context/disk/settings-schema.ts'

/** The JSON Schema of `loadout.json`, for editors. Rules that it cannot express are checked by the program alone. */
export function settingsJsonSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(settingsSchema, { io: 'input' })
  const described = {
    $schema,
    title: 'loadout.json',
    description: 'What a project says about itself to Loadout.',
    ...schema,
  }
  return `${JSON.stringify(described, null, 2)}\n`
}
