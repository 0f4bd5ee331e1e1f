import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { settingsJsonSchema } from '../scripts/json-schema.ts'
import { SETTINGS } from '../src/machine/rules/settings-shape.ts'

const FILE = 'schema/loadout.schema.json'

describe('the JSON Schema of loadout.json', () => {
  it('is what `npm run docs` writes', () => {
    expect(readFileSync(FILE, 'utf8')).toBe(settingsJsonSchema())
  })

  it('knows every key, and no other', () => {
    const { properties, additionalProperties } = JSON.parse(readFileSync(FILE, 'utf8'))
    expect(Object.keys(properties)).toEqual(Object.keys(SETTINGS.keys))
    expect(additionalProperties).toBe(false)
  })

  it('is shipped', () => {
    expect(JSON.parse(readFileSync('package.json', 'utf8')).files).toContain('schema')
  })
})
