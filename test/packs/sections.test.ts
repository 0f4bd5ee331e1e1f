import { describe, expect, it } from 'vitest'
import { makeTrusted } from '../../src/packs/rules/gates/pack.fixture.ts'
import { memoryPack } from '../../src/packs/rules/pack-files.fixture.ts'
import { mergeAlike, sectionDocuments } from '../../src/packs/rules/resolve/sections.ts'
import { DOCUMENT_FIRST, FERRY } from './ferry-pack.ts'
import { type Files, resolveFiles } from './resolving.ts'

const SUBJECTS = ['anchor', 'ballast', 'capstan', 'davit', 'engine', 'funnel', 'galley', 'hull', 'icebox', 'jib']

/** Pages with meaningless names, each with its own subject in the text. */
function pages(folder: string, count: number): Files {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `${folder}/note-${at}.md`,
      `# Note ${at}\n\n## Remarks\n\nThe ${SUBJECTS[at % 10]} number ${at} is painted with code XK${at}.\n`,
    ]),
  )
}

describe('a section is found by its text, however many files there are', () => {
  it.each([
    ['wiki/concepts', 'wiki-first', 12],
    ['wiki/concepts', 'wiki-first', 13],
    ['wiki/concepts', 'wiki-first', 200],
    ['compiled/splits/manual', 'document-first', 12],
    ['compiled/splits/manual', 'document-first', 45],
    ['documents', 'document-first', 40],
  ] as const)('in %s, %s, of %i', (folder, profile, count) => {
    const { paths, wrapper, missing } = resolveFiles(pages(folder, count), 'What is painted with XK7?', {
      manifest: { profile },
    })
    expect(paths).toContain(`${folder}/note-7.md`)
    expect(paths.length).toBeLessThan(8)
    expect(wrapper).toContain('The hull number 7 is painted with code XK7.')
    expect(missing.filter((gap) => gap.startsWith('nothing'))).toEqual([])
  })
})

describe('a large section is cut', () => {
  const rows = Array.from({ length: 400 }, (_, at) => `| ERR_DOCK_${at} | Bollard ${at} is taken. | Wait. |`)
  const table = `# Errors\n\n## Codes\n\n| Code | Meaning | Remedy |\n|---|---|---|\n${rows.join('\n')}\n`

  it('to the row of a table and the head of that table', () => {
    const { wrapper, tokens, chosen } = resolveFiles({ 'documents/errors.md': table }, 'what does ERR_DOCK_217 mean', {
      manifest: { profile: 'document-first' },
    })
    expect(wrapper).toContain('## Codes\n')
    expect(wrapper).toContain('| Code | Meaning | Remedy |\n|---|---|---|\n')
    expect(wrapper).toContain('| ERR_DOCK_217 | Bollard 217 is taken. | Wait. |')
    expect(tokens).toBeLessThan(700)
    for (const part of chosen.filter((part) => part.path === 'documents/errors.md')) {
      const { from = 0, to = 0 } = part.lines ?? {}
      expect(part.text).toBe(
        `${table
          .split('\n')
          .slice(from - 1, to)
          .join('\n')}\n`,
      )
    }
  })

  it('to the row of a table that is written in HTML', () => {
    const html = Array.from(
      { length: 60 },
      (_, at) =>
        `  <tr>\n    <td class="berth">Berth ${at}</td>\n    <td>\n      <p>Ships up to ${at} metres.</p>\n    </td>\n  </tr>`,
    )
    const text = `# Harbour\n\n## Berths\n\n<table>\n${html.join('\n')}\n</table>\n`
    const { wrapper, tokens } = resolveFiles({ 'documents/harbour.md': text }, 'how long may ships at berth 47 be', {
      manifest: { profile: 'document-first' },
    })
    expect(wrapper).toContain('Ships up to 47 metres.')
    expect(tokens).toBeLessThan(2000)
  })

  it('to the paragraphs that speak of the task', () => {
    const filler = Array.from({ length: 80 }, (_, at) => `Remark ${at} is about ropes and knots of every kind.\n`)
    const text = `# Log\n\n${filler.slice(0, 40).join('\n')}\nThe compass was corrected in Oslo.\n\n${filler.slice(40).join('\n')}`
    const { wrapper, tokens } = resolveFiles({ 'documents/manual.md': text }, 'Where was the compass corrected?', {
      manifest: DOCUMENT_FIRST,
    })
    expect(wrapper).toContain('The compass was corrected in Oslo.')
    expect(tokens).toBeLessThan(500)
  })
})

describe('a document of any form', () => {
  const filler = (word: string) => Array.from({ length: 60 }, (_, at) => `Remark ${at} is about ${word} of every kind.`)

  it.each([
    [
      'reStructuredText',
      'documents/manual.rst',
      `Manual\n======\n\n${filler('ropes').join('\n\n')}\n\nCompass\n-------\n\n.. data:: COMPASS_YEAR\n\n   When the compass was corrected.\n\n   Default: 1987\n`,
      'When was the compass corrected?',
      ['Compass\n-------\n', 'Default: 1987'],
    ],
    [
      'AsciiDoc',
      'documents/manual.adoc',
      `= Manual\n\n${filler('ropes').join('\n\n')}\n\n== Compass\n\nIt was corrected in Oslo.\n`,
      'Where was the compass corrected?',
      ['== Compass\n\nIt was corrected in Oslo.'],
    ],
    [
      'without headings',
      'documents/manual.txt',
      `${filler('ropes').join('\n\n')}\n\nThe compass was corrected in Oslo.\n\n${filler('knots').join('\n\n')}\n`,
      'Where was the compass corrected?',
      ['The compass was corrected in Oslo.'],
    ],
    [
      'in another language',
      'documents/handbuch.md',
      `${filler('Seile').join('\n\n')}\n\nDer Kompass wurde in Oslo berichtigt.\n`,
      'Wo wurde der Kompass berichtigt?',
      ['Der Kompass wurde in Oslo berichtigt.'],
    ],
    [
      'in Chinese',
      'documents/manual.md',
      `${Array.from({ length: 200 }, () => '\u7ef3\u7d22\u7684\u8bf4\u660e\u5728\u8fd9\u91cc\u3002').join('\n\n')}\n\n\u7f57\u76d8\u5728\u5965\u65af\u9646\u6821\u6b63\u3002\n`,
      '\u7f57\u76d8\u5728\u54ea\u91cc\u6821\u6b63',
      ['\u7f57\u76d8\u5728\u5965\u65af\u9646\u6821\u6b63\u3002'],
    ],
  ])('is read by sections: %s', (_, path, text, task, expected) => {
    const { wrapper, tokens } = resolveFiles({ [path]: text }, task, { manifest: DOCUMENT_FIRST })
    for (const part of expected) expect(wrapper).toContain(part)
    expect(tokens).toBeLessThan(700)
  })
})

it('a page is found by the title in its frontmatter, which no heading repeats', () => {
  const page = (title: string, at: number) =>
    `---\ntitle: "${title}"\nlayout: page\n---\n\n## Rules\n\nRule ${at} holds for everybody.\n`
  const files = Object.fromEntries(
    ['Merging', 'Paging the commander', 'Holidays'].map((title, at) => [`documents/p${at}.md`, page(title, at)]),
  )
  const { chosen } = resolveFiles(files, 'which rule holds for paging the commander', {
    manifest: { profile: 'document-first' },
  })
  const best = chosen.find(({ score }) => score === 1)
  expect(best?.text).toContain('Rule 1 holds for everybody.')
})

it('the same trouble in hundreds of files is one warning, and takes no room from the answer', () => {
  const warnings = Array.from({ length: 300 }, (_, at) => ({
    severity: 'warning' as const,
    code: 'TEXT_CHANGED' as const,
    path: `documents/b${at}.md`,
    message: 'it holds bytes',
  }))
  expect(mergeAlike(warnings)).toEqual([{ ...warnings[0], message: 'it holds bytes; the same in 299 other files' }])
})

describe('what was not found', () => {
  it.each([
    ['How many people does the ferry carry?', []],
    ['When was the ferry built?', []],
    ['Does the ferry sail to Madagascar?', ['nothing was found about: sail, Madagascar']],
    ['Who insures the hull?', ['nothing was found about: insures, hull']],
  ])('is named with its words: %s', (task, missing) => {
    const resolved = resolveFiles(FERRY, task)
    expect(resolved.missing).toEqual(missing)
    for (const gap of missing) expect(resolved.wrapper).toContain(gap)
  })

  it('is told if every word stands somewhere, but no passage has most of them', () => {
    const files = {
      'documents/engine.md': '# Engine\n\nThe engine burns diesel and was overhauled in Bergen.\n',
      'documents/crew.md': '# Crew\n\nThe captain earns a bonus. The refund of a ticket takes a week.\n',
    }
    const { missing, wrapper } = resolveFiles(files, 'Is there a refund for diesel of the captain in Bergen?')
    expect(missing).toEqual([expect.stringMatching(/^no passage is about the whole question; apart from the rest: /)])
    expect(wrapper).toContain('ask the user, or call them unknown')
    expect(resolveFiles(files, 'Was the engine overhauled in Bergen?').missing).toEqual([])
  })

  it.each([
    ['approved enterprise price', true],
    ['the winter timetable', true],
    ['the season of the ferry', false],
  ])('of what the caller needs, %s: %s', (need, isMissing) => {
    const files = {
      ...FERRY,
      'compiled/briefing.md':
        '# Briefing\n\nThe season of the ferry: Easter to October. No enterprise price is approved.\n',
      'compiled/facts.md': '# Facts\n\n- The winter is long.\n- The timetable hangs at the pier.\n',
    }
    expect(resolveFiles(files, 'How long is the season?', { needs: [need] }).missing).toEqual(isMissing ? [need] : [])
  })
})

it('raw sources are not indexed', () => {
  const { documents } = sectionDocuments(
    memoryPack({ 'KNOWLEDGE.md': '---\nname: x\n---\n', ...FERRY }),
    makeTrusted({}),
  )
  expect(documents.length).toBeGreaterThan(5)
  expect(JSON.stringify(documents)).not.toContain('A line that nothing rests on')
})

describe('a task of any kind', () => {
  const tied = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [
      `documents/d${at}.md`,
      Array.from({ length: 100 }, () => '# Lamp\n\nThe lamp burns.\n').join('\n'),
    ]),
  )

  it.each([
    ['one word', 'lamp'],
    ['no word', '?'],
    ['20,000 characters', 'the lamp of the pier burns all night. '.repeat(530)],
    ['Chinese', '\u706f\u5728\u7801\u5934\u4e0a\u4eae\u591a\u4e45'],
    ['code only', 'if (lamp.isOn()) { lamp.burn(hours => hours + 1) }'],
  ])('gets an answer within the budget, also from 10,000 sections with equal scores: %s', (_, task) => {
    const { tokens, wrapper, missing } = resolveFiles(tied, task, { manifest: { profile: 'document-first' } })
    expect(tokens).toBeLessThanOrEqual(4000)
    expect(wrapper).toContain('</knowledge_pack>')
    expect(missing.length).toBeLessThanOrEqual(1)
    const again = resolveFiles(tied, task, { manifest: { profile: 'document-first' } })
    expect(again.wrapper).toBe(wrapper)
  })
})
