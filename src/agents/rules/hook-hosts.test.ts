import { describe, expect, it } from 'vitest'
import { codexRuns, trustHash } from './hook-hosts.ts'

const PROMPT = {
  event: 'UserPromptSubmit',
  commands: { command: 'loadout hook codex UserPromptSubmit' },
  options: '',
  matcher: undefined,
  timeout: 10,
  isPlain: true,
  group: 0,
  handler: 0,
}

// What Codex 0.166.0 calls `currentHash` in its list of hooks.
const HASH = 'sha256:a0f27a28d1d69221ad6f7298b9291a180397773a5897c37c4625a307b0d08a25'

describe('trust in Codex', () => {
  it.each([
    [PROMPT, HASH],
    [{ ...PROMPT, matcher: 'ignored' }, HASH],
    [
      {
        ...PROMPT,
        event: 'SessionStart',
        commands: { command: 'loadout hook codex SessionStart' },
        matcher: 'startup|resume',
      },
      'sha256:4bf1f89a340ecc23c300d3513c7cb9bf0a6b24cf246d37a386585caa0c04224b',
    ],
    [
      { ...PROMPT, event: 'PostToolUse', commands: { command: 'x' }, matcher: 'Bash', timeout: undefined },
      'sha256:77cba839c4b837674250a9b4a1fc7e1fc7b58ee987103a1d6536085addedb6f6',
    ],
  ])('is given to the content of a hook: %#', (hook, hash) => {
    expect(trustHash(hook)).toBe(hash)
  })

  const at = (place: string, state: object) => ({ hooks: { state: { [`/h/.codex/hooks.json:${place}`]: state } } })
  const [here, there] = ['user_prompt_submit:0:0', 'user_prompt_submit:1:0']
  it.each([
    ['nothing', {}, PROMPT, 'untrusted'],
    ['this one', at(here, { trusted_hash: HASH }), PROMPT, 'yes'],
    ['what it was before', at(here, { trusted_hash: 'sha256:0' }), PROMPT, 'untrusted'],
    ['another place', at(there, { trusted_hash: HASH }), PROMPT, 'untrusted'],
    ['more than we wrote', at(here, { trusted_hash: 'sha256:0' }), { ...PROMPT, isPlain: false }, 'yes'],
    ['off', at(here, { trusted_hash: HASH, enabled: false }), PROMPT, 'off'],
  ])('is told by the configuration: %s', (_, config, hook, answer) => {
    expect(codexRuns(config, ['/real/hooks.json', '/h/.codex/hooks.json'], hook)).toBe(answer)
  })
})
