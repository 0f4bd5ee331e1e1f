import { afterAll } from 'vitest'
import { cleanUp } from './cli/run.ts'

afterAll(cleanUp)
