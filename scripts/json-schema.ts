import { SETTINGS } from '../src/machine/rules/settings-shape.ts'
import type { Shape } from '../src/machine/rules/shape.ts'

/** The JSON Schema of `loadout.json`, for editors. Rules that it cannot express are checked by the program alone. */
export function settingsJsonSchema(): string {
  const described = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'loadout.json',
    description: 'What a project says about itself to Loadout.',
    ...formOf(SETTINGS),
  }
  return `${JSON.stringify(described, null, 2)}\n`
}

/** Keys without a value do not reach the JSON. */
function schemaOf(shape: Shape): object {
  return { ...formOf(shape), description: shape.about }
}

function formOf(shape: Shape): object {
  switch (shape.is) {
    case 'text':
      return { type: 'string', minLength: shape.least, maxLength: shape.most, pattern: shape.pattern?.source }
    case 'choice':
      return { type: 'string', enum: shape.of }
    case 'number':
    case 'whole number':
      return { type: shape.is === 'number' ? 'number' : 'integer', minimum: shape.from, maximum: shape.to }
    case 'flag':
      return { type: 'boolean' }
    case 'list':
      return { type: 'array', items: schemaOf(shape.of), minItems: shape.least }
    case 'object':
      return {
        type: 'object',
        properties: Object.fromEntries(Object.entries(shape.keys).map(([key, inner]) => [key, schemaOf(inner)])),
        required: shape.needs,
        additionalProperties: false,
        oneOf: shape.oneOf?.map((key) => ({ required: [key] })),
        not: shape.notBoth && { required: shape.notBoth },
      }
    case 'named': {
      const propertyNames = { type: 'string', pattern: shape.names.source }
      return { type: 'object', propertyNames, additionalProperties: schemaOf(shape.of) }
    }
    case 'either':
      return { anyOf: [schemaOf(shape.text), schemaOf(shape.object)] }
  }
}
