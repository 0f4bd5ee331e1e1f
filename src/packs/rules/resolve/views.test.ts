import { describe, expect, it } from 'vitest'
import { readTaskWords } from '../../../search/task-words.ts'
import { makePack } from '../gates/pack.fixture.ts'
import { memoryPack } from '../pack-files.fixture.ts'
import { buildSectionIndex } from './build-section-index.ts'
import { resolvePack } from './resolve-pack.ts'

const FILES = {
  'KNOWLEDGE.md': '---\nname: house\n---\n\n# House\n',
  'compiled/boundaries.md': '# Boundaries\n\nNever blame the customer.\n',
  'compiled/stories.md': '# Stories\n\nThe lost parcel.\n',
  'compiled/voice.md': '# Voice\n\nFriendly and short.\n',
}

describe('views with names of their own', () => {
  it.each([
    ['a persona always has its voice', 'persona', 'answer a letter', ['boundaries', 'voice']],
    ['and what the task asks for', 'persona', 'tell the stories of the parcel', ['boundaries', 'voice', 'stories']],
    ['data has no voice unless asked', 'data', 'answer a letter', ['boundaries']],
  ] as const)('%s', (_, mode, task, views) => {
    const { manifest } = makePack({ name: 'house', mode, profile: 'wiki-first' })
    const request = {
      needs: [],
      wantsCitations: false,
      isDeep: false,
      mustEscalate: false,
      tier: 'evidence' as const,
      sections: () => buildSectionIndex(memoryPack(FILES)),
    }
    const { choices } = resolvePack(manifest, memoryPack(FILES), { task, words: readTaskWords(task), ...request })
    expect(choices.map(({ part }) => part.path)).toEqual(views.map((view) => `compiled/${view}.md`))
  })
})
