import { libraryFile, textWith } from '../examples/examples.ts'
import type { Example } from '../examples/rules/example.ts'
import type { Machine } from '../machine/machine.ts'
import type { Finding, Report } from '../text/trouble.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { writeTreeFile } from './disk/tree.ts'
import { asWriter } from './observe.ts'
import { openGitSetup } from './setup.ts'

/** Writes examples beside the skills of the library, and commits exactly these files. Returns the commit. */
export async function teachLibrary(
  machine: Machine,
  fresh: ReadonlyMap<string, readonly Example[]>,
  wantsCommit: boolean,
): Promise<Report<string | undefined>> {
  const setup = await openGitSetup(machine, {})
  const { library } = setup
  const skills = [...fresh.keys()]
  const run = async (findings: Finding[]): Promise<Report<string | undefined>> => {
    const changes = [...fresh].map(([skill, examples]) => {
      const file = libraryFile(library, skill)
      const text = textWith(file, examples)
      return { path: file.path, write: (stage: string) => void writeTreeFile(stage, text, false) }
    })
    const message = wantsCommit ? messageFor(skills) : undefined
    return { value: await changeLibrary(machine, library, { changes, message }), findings }
  }
  return asWriter(setup, [], 'teach', run)
}

function messageFor(skills: readonly string[]): string {
  const [first = ''] = skills
  return skills.length === 1 ? `Teach examples of ${first}` : `Teach examples of ${skills.length} skills`
}
