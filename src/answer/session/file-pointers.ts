import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { pointWhenSure } from '../../project/point-to-files.ts'
import { pointerText } from '../../project/rules/file-pointer.ts'
import type { Task } from '../../search/task.ts'
import { harmlessLine } from '../../text/fence.ts'
import { pointIntoProject } from '../own-files.ts'
import { digestOf, type GivenPart } from '../rules/session/session-text.ts'

/** Certain matches of a prompt in the project's own files: paths, lines and names, no text. */
export async function filePointers(
  machine: Machine,
  { project, task, limit }: { project: Project; task: Task; limit: number },
): Promise<GivenPart[]> {
  const pointers = await pointIntoProject(machine, { project, task, limit }, pointWhenSure)
  return pointers.map((pointer) => {
    const text = pointerText(pointer, (part) => harmlessLine(part, digestOf(part)).text)
    return { part: { form: 'file', path: pointer.path, sum: digestOf(text) }, text }
  })
}
