import { expect, it } from 'vitest'
import { readTomlLines } from './toml-lines.ts'

it('reads the few settings that matter, whatever else is in the file', () => {
  const { top, tables } = readTomlLines(
    [
      '# model_context_window = 1',
      'model_context_window = 1_000 # tokens',
      "model = 'gpt'",
      'project_doc_fallback_filenames = [',
      '  "TEAM.md", # ours',
      '  "NOTES.md",',
      ']',
      'odd = { inline = true }',
      'text = "a # b"',
      '[projects."/x"]',
      'model = "another"',
      '[[skills.config]]',
      'path = "/a\\u0020b/SKILL.md"',
      'enabled = false',
      '[[ skills.config ]]',
      'name = "c"',
      'enabled = true',
    ].join('\r\n'),
  )
  expect(top).toEqual({
    model_context_window: 1_000,
    model: 'gpt',
    project_doc_fallback_filenames: ['TEAM.md', 'NOTES.md'],
    text: 'a # b',
  })
  expect(tables('skills.config')).toEqual([
    { path: '/a b/SKILL.md', enabled: false },
    { name: 'c', enabled: true },
  ])
})

it('has nothing to say about what is no TOML', () => {
  for (const text of ['', '{"a": 1}', '[[', '= 1', 'a =', 'a = [1', `a = ${'['.repeat(10_000)}`, '\u0000\u0000']) {
    expect(readTomlLines(text).top).toEqual({})
  }
})
