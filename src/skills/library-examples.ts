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
  const { library, repo } = setup
  const skills = [...fresh.keys()]
  const run = async (findings: Finding[]): Promise<Report<string | undefined>> => {
    const changes = [...fresh].map(([skill, examples]) => {
      const file = libraryFile(library, skill)
      const text = textWith(file, examples)
      return { path: file.path, write: (stage: string) => void writeTreeFile(stage, text, false) }
    })
    const whose = skills.length === 1 ? skills[0] : `${skills.length} skills`
    const message = wantsCommit ? `Teach examples of ${whose}` : undefined
    return { value: await changeLibrary(repo, { changes, message }), findings }
  }
  return asWriter(setup, [], 'teach', run)
}
