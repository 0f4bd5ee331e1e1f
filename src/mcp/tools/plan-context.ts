import * as z from 'zod'
import { defineTool, PROJECT, TASK } from '../tool.ts'
import { BUNDLE_FIELDS, buildFitting, describeBundle } from './bundle.ts'

export const planContext = defineTool({
  name: 'plan_context',
  description: 'What load_context would give for a task, and why, without the content.',
  input: z.strictObject({ task: TASK, project: PROJECT }),
  output: z.object(BUNDLE_FIELDS),
  call: async ({ task, project }, { loadout, project: usual, signal }) => {
    const request = { task, project: project ?? usual, signal }
    const { value, findings, cut } = await buildFitting(loadout.planContext, request)
    const { warnings, ...described } = describeBundle(value.bundle, findings)
    return { ...described, warnings: [...cut, ...warnings] }
  },
})
