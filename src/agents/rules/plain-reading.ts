import type { ReadingRules } from './reading-rules.ts'

/** For agents of which Loadout knows only the folders. */
export function plainReading({
  userFolder,
  projectFolder,
}: {
  userFolder?: string
  projectFolder: string
}): ReadingRules {
  return {
    places: [
      ...(userFolder === undefined ? [] : [{ from: 'home', path: userFolder, scope: 'user' } as const]),
      { from: 'project', path: projectFolder, scope: 'project' },
    ],
    depth: 1,
    skipsDotFolders: false,
    followsLinkedFiles: true,
    needsUtf8: false,
    readsBehindMark: true,
    joinsBlanks: true,
    namedBy: 'frontmatter',
    guessesDescription: false,
    hiding: [],
    sameName: 'unknown',
    climbsWithoutRepository: false,
  }
}
