import { pointForPrompt } from '../../context/own-files.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { pointerText } from '../../project/rules/file-pointer.ts'
import { harmlessLine } from '../../text/fence.ts'
import { digestOf, type GivenPart } from '../rules/session/session-text.ts'

/** Certain matches of a prompt in the project's own files: paths, lines and names, no text. */
export async function filePointers(
  machine: Machine,
  { project, task, limit }: { project: Project; task: string; limit: number },
): Promise<GivenPart[]> {
  const pointers = await pointForPrompt(machine, { project, task, limit })
  return pointers.map((pointer) => {
    const text = pointerText(pointer, (part) => harmlessLine(part, digestOf(part)).text)
    return { part: { form: 'file', path: pointer.path, sum: digestOf(text) }, text }
  })
}
