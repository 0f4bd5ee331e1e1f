import { expect, it } from 'vitest'
import { unknownKeys } from './settings-shape.ts'

it.each([
  [{}, []],
  [
    { repo_path: '~/x', targets: { claude: '~/c', codex: { enabled: true, path: '~/d' } }, profiles: { p: { a: [] } } },
    [],
  ],
  [{ pakcs: {} }, ['unknown setting "pakcs"; did you mean "packs"?']],
  [{ targts: {} }, ['unknown setting "targts"; did you mean "targets"?']],
  [{ repo_action: {} }, ['unknown setting "repo_action"; did you mean "repo_actions"?']],
  [{ packs: { maxDeph: 1 } }, ['unknown setting "packs.maxDeph"; did you mean "packs.maxDepth"?']],
  [{ organization: { pack: [] } }, ['unknown setting "organization.pack"; did you mean "organization.packs"?']],
  [{ targets: { claude: { enable: false } } }, ['"targets.claude.enable"; did you mean "targets.claude.enabled"?']],
  [{ zzzzzz: 1, usage: { yyyyyy: 1 } }, ['unknown setting "zzzzzz"', 'unknown setting "usage.yyyyyy"']],
  [{ packs: 7 }, []],
])('%j', (json, messages) => {
  const found = unknownKeys(json, '/c.json')
  expect(found.map(({ message }) => message)).toEqual(messages.map((message) => expect.stringContaining(message)))
})
