import type { Example } from '../examples/rules/example.ts'
import { libraryFile, writeExamples } from '../examples/write.ts'
import type { Machine } from '../machine/machine.ts'
import type { Finding, Report } from '../text/trouble.ts'
import { commitPaths } from './disk/library-commit.ts'
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
    for (const [skill, examples] of fresh) await writeExamples(machine, libraryFile(library, skill), examples)
    const paths = skills.map((skill) => libraryFile(library, skill).path)
    const value = wantsCommit ? await commitPaths(machine, library, paths, messageFor(skills)) : undefined
    return { value, findings }
  }
  return asWriter(setup, [], 'teach', run)
}

function messageFor(skills: readonly string[]): string {
  const [first = ''] = skills
  return skills.length === 1 ? `Teach examples of ${first}` : `Teach examples of ${skills.length} skills`
}
