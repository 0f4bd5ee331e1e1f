import { mkdirSync, writeFileSync } from 'node:fs'
import { settingsJsonSchema } from './json-schema.ts'

mkdirSync('schema', { recursive: true })
writeFileSync('schema/loadout.schema.json', settingsJsonSchema())
