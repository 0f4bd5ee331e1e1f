import { describe, expect, it } from 'vitest'
import { readTaskWords } from '../../../search/task-words.ts'
import { memoryPack } from '../pack-files.fixture.ts'
import { buildSectionIndex } from './section-index.ts'
import { speaksOf } from './speaks-of.ts'

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
    ['write a test for the login form', false],
    ['write a login form for the field', false],
    ['', false],
  ])('%s: %s', (task, isAbout) => {
    expect(speaksOf(INDEX, task, readTaskWords(task), 'A radio.').isAbout).toBe(isAbout)
  })

  it('nothing, when it has no text', () => {
    expect(speaksOf(buildSectionIndex(memoryPack({})), 'a radio', readTaskWords('a radio'), 'A radio.').isAbout).toBe(
      false,
    )
  })
})
