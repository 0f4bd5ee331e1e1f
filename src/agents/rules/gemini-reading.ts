import type { ReadingRules } from './reading-rules.ts'

// Read from Gemini CLI 0.61.0: from its program, and from the lists it sent.

export const GEMINI_READING: ReadingRules = {
  places: [
    { from: 'home', path: '.gemini/skills', scope: 'user' },
    { from: 'home', path: '.agents/skills', scope: 'user' },
    { from: 'working', path: '.gemini/skills', scope: 'project' },
    { from: 'working', path: '.agents/skills', scope: 'project' },
  ],
  depth: 1,
  skipsDotFolders: true,
  followsLinkedFiles: true,
  needsUtf8: false,
  readsBehindMark: false,
  joinsBlanks: false,
  namedBy: 'frontmatter',
  needsName: true,
  guessesDescription: false,
  hiding: [],
  sameName: 'last',
  trust: 'Gemini CLI reads the folders of a project only where you have said that you trust it.',
  climbsWithoutRepository: false,
  order: 'place',
}

/** Around the name, the description and the path of one skill in its list, with the line end. */
export const GEMINI_FRAME = `  <skill>
    <name></name>
    <description></description>
    <location></location>
  </skill>
`.length
