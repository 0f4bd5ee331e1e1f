import { afterAll } from 'vitest'
import { removeFolders } from './cli/run.ts'

afterAll(removeFolders)
