import type { ReadingRules, SkillPlace } from './reading-rules.ts'

/** For agents of whose program nothing more is known than their folders. */
export function plainReading(
  userFolder: string | undefined,
  projectFolder: string,
  alsoReads: readonly string[],
): ReadingRules {
  return {
    places: [
      ...(userFolder === undefined ? [] : [{ from: 'home', path: userFolder, scope: 'user' } as const]),
      { from: 'project', path: projectFolder, scope: 'project' },
      ...alsoReads.map(placeOf),
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
    order: 'place',
  }
}

function placeOf(path: string): SkillPlace {
  if (path.startsWith('/')) return { from: 'machine', path, scope: 'machine' }
  if (path.startsWith('~/')) return { from: 'home', path: path.slice(2), scope: 'user' }
  return { from: 'project', path, scope: 'project' }
}
