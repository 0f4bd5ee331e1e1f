import * as z from 'zod'
import type { Desk } from './tool.ts'

const LONGEST_TASK = 100_000
const LONGEST_NAME = 1_000

/** Arguments that several tools take. */
export const TASK = z.string().regex(/\S/).max(LONGEST_TASK)
export const NAME = z.string().min(1).max(LONGEST_NAME)
export const PROJECT = NAME.optional().describe('Folder, if not the usual one')

/** The project of a call, and the layers that follow from it. */
export function placeOf({ loadout, project: usual }: Desk, project = usual) {
  return { project, layers: loadout.nameLayers({ project }) }
}
