import { describe, expect, it } from 'vitest'
import { readTaskWords } from '../../../search/task-words.ts'
import { memoryPack } from '../pack-files.fixture.ts'
import { buildSectionIndex } from './build-section-index.ts'
import { matchSections } from './section-match.ts'

const INDEX = buildSectionIndex(
  memoryPack({
    'wiki/battery.md': '# Battery\n\nThe KB-2 pack lasts nine hours in the field.\n',
    'wiki/keypad.md': '# Keypad\n\nThe keypad is lit.\n\n## Cleaning\n\nUse a dry cloth in the field.\n',
    'wiki/range.md': '# Range\n\nIn the field the radio reaches four kilometres. Write down what you measure.\n',
  }),
)

describe('a pack speaks of', () => {
  it.each([
    ['how long does the KB-2 battery last', true],
    ['how many kilometres does the radio reach', true],
    ['clean the keypad', true],
    ['a customer asks about the lit keypad and wants the source cited, urgently', false],
    ['a customer asks how many hours the KB-2 battery lasts, cite the source', true],
    ['write a test for the login form', false],
    ['write a login form for the field', false],
    ['', false],
  ])('%s: %s', (task, isAbout) => {
    expect(matchSections(INDEX, task, readTaskWords(task), 'A radio.').isAbout).toBe(isAbout)
  })

  it.each([
    ['fix the failing test', false],
    ['find all places where this function is called', false],
    ['which winch lifts the anchor', true],
  ])('in a large pack, %s: %s', (task, isAbout) => {
    const pages = Array.from({ length: 200 }, (_, at) => [
      `wiki/${at}.md`,
      `# Page ${at}\n\nThe winch number ${at} lifts ${at % 2 ? 'an anchor' : 'a boat'}.${at === 7 ? ' Fix a test that fails in the function.' : ''}\n`,
    ])
    const index = buildSectionIndex(memoryPack(Object.fromEntries(pages)))
    expect(matchSections(index, task, readTaskWords(task), 'Ships.').isAbout).toBe(isAbout)
  })

  it('nothing, when it has no text', () => {
    expect(
      matchSections(buildSectionIndex(memoryPack({})), 'a radio', readTaskWords('a radio'), 'A radio.').isAbout,
    ).toBe(false)
  })
})
