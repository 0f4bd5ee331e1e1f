import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLoadout } from '../../src/loadout.ts'
import { treeOf } from '../cli/civil.ts'
import { aFolder, aLinkTo, makeProject } from '../cli/run.ts'

const SETTINGS = '.claude/settings.json'
const CLAUDE = { agents: ['claude'] }

function loadoutAt(home: string) {
  return createLoadout({ persist: true, home, cwd: home, env: { PATH: '/usr/bin:/bin' } })
}

/** Everything a person can see; what we remember for ourselves is not. */
function seen(home: string): string[] {
  return treeOf(home).filter((line) => !line.startsWith('.local'))
}

function read(home: string): string {
  return readFileSync(join(home, SETTINGS), 'utf8')
}

const THEIRS = '{"type": "command", "command": "echo hello"}'

const ODD_FILES: [what: string, text: string][] = [
  ['nothing at all', ''],
  ['blank lines', '\n\r\n\t'],
  ['a byte order mark alone', '\ufeff'],
  ['an empty object', '{}'],
  ['an empty object with a line', '{}\n'],
  ['an empty object over two lines', '{\r\n}\r\n'],
  ['an empty object with a comment', '{ // nothing yet\n}'],
  ['an empty object that is indented', '  { }  \n'],
  ['one line', '{"model":"x","env":{}}'],
  ['one line with hooks', `{"hooks":{"SessionStart":[{"hooks":[${THEIRS}]}],"Stop":[]},"z":1}\n`],
  ['one line with empty hooks', '{"hooks": { }}'],
  ['two blanks', '{\n  "model": "x"\n}\n'],
  ['three blanks and no end of line', '{\n   "model": "x",\n   "env": {\n      "A": "1"\n   }\n}'],
  ['tabs', '{\n\t"model": "x",\n\t"permissions": {\n\t\t"allow": []\n\t}\n}\n'],
  ['nothing before a key', '{\n"model": "x",\n"hooks": {\n"Stop": []\n}\n}\n'],
  ['mixed', '{ "a": 1,\n\t "b": [1,\n2],\n    "c": {"d": {\n}}\n  }\n\n'],
  ['lines that end as on Windows', '{\r\n\t"model": "x",\r\n\t"hooks": {\r\n\t}\r\n}\r\n'],
  ['lines that end with a return', '{\r  "model": "x"\r}\r'],
  ['a byte order mark', '\ufeff{\n  "model": "x"\n}\n'],
  ['comments everywhere', '// a\n{ /* b */ "model" /* c */ : "x" /* d */ // e\n  /* f */ } // g\n/* h */'],
  ['a comment behind the last', '{\n  "model": "x" // why\n}\n'],
  ['trailing commas', '{\n  "env": {"A": "1",},\n  "hooks": {"Stop": [],},\n}\n'],
  ['a trailing comma with a comment', '{\n  "model": "x", // why\n}\n'],
  [
    'hooks in another form',
    `{\n  "hooks": {\n    "SessionStart": [{\n      "hooks": [${THEIRS}]\n    }],\n    "PostToolUse": [\n      {"matcher": "Bash", "hooks": [${THEIRS}]}\n    ]\n  }\n}\n`,
  ],
  [
    'empty lists for our events',
    '{\n  "hooks": {\n    "SessionStart": [],\n    "UserPromptSubmit": [\n    ],\n    "PostToolUse": [ /* none */ ]\n  }\n}\n',
  ],
  [
    'hooks first',
    `{\n  "hooks": {\n    "UserPromptSubmit": [\n      { "hooks": [ ${THEIRS} ] }\n    ]\n  },\n  "model": "x"\n}\n`,
  ],
  ['keys like ours elsewhere', '{\n  "env": {"hooks": {"SessionStart": []}, "__proto__": 1},\n  "": {}\n}\n'],
  ['the same key twice, but not ours', '{"env": 1, "env": 2}'],
  ['letters from everywhere', '{\n  "\u00fcber": "\ud83d\ude80 \u2028 \\u0000 </script>"\n}\n'],
  [
    'hooks of other programs',
    '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"node /x/cli.js hook claude SessionStart"}]},{"hooks":[{"type":"command","command":"loadout plan x"}]}]}}',
  ],
]

describe('install, then remove', () => {
  it.each(ODD_FILES)('leaves a file as it was: %s', async (_, text) => {
    const home = makeProject({ [SETTINGS]: text })
    const loadout = loadoutAt(home)
    const before = seen(home)
    const { findings } = await loadout.agents.installHooks(CLAUDE)
    expect(findings.length, 'Claude Code stops at a comment, so one is told').toBe(isPlain(text) ? 0 : 1)
    const installed = read(home)
    for (const event of ['SessionStart', 'UserPromptSubmit', 'PostToolUse']) {
      expect(installed.split(`hook claude ${event} # loadout`)).toHaveLength(2)
    }
    expect((await loadout.agents.installHooks(CLAUDE)).value.changes).toMatchObject([{ change: 'none', diff: '' }])
    expect(read(home)).toBe(installed)
    expect((await loadout.agents.removeHooks(CLAUDE)).value.changes).toMatchObject([{ change: 'removed' }])
    expect(seen(home)).toEqual(before)
    expect((await loadout.agents.removeHooks(CLAUDE)).value.changes).toMatchObject([{ change: 'none' }])
  })

  const full = ODD_FILES.filter(([, text]) => /"[^"]+"\s*:/.test(text) && !/[[{]\s*(\/\*.*\*\/)?\s*[\]}]/.test(text))
  it.each(full)('does without the record of what was there: %s', async (_, text) => {
    const home = makeProject({ [SETTINGS]: text })
    await loadoutAt(home).agents.installHooks(CLAUDE)
    rmSync(join(home, '.local'), { recursive: true })
    await loadoutAt(home).agents.removeHooks(CLAUDE)
    expect(read(home)).toBe(text)
  })
})

it.each([
  ['not JSON', '{"/a": {"folders": ['],
  ['a list', '[]'],
  ['a record without its parts', '{"/a": {"folders": []}}'],
  ['a record that would write more than blanks', '{"/a": {"before": "{}", "folders": [], "blanks": {}}}'],
])('neither installs nor removes hooks while the record that undoes them is damaged: %s', async (_, text) => {
  const home = makeProject({ [SETTINGS]: '{}' })
  await loadoutAt(home).agents.installHooks(CLAUDE)
  const record = join(home, '.local/state/loadout/hook-installs.json')
  writeFileSync(record, text)
  const before = treeOf(home)
  for (const change of ['installHooks', 'removeHooks'] as const) {
    await expect(loadoutAt(home).agents[change](CLAUDE)).rejects.toThrow(`${record} should say how to undo`)
  }
  expect(treeOf(home)).toEqual(before)
  rmSync(record)
  await loadoutAt(home).agents.removeHooks(CLAUDE)
  expect(read(home)).toBe('{}')
})

it('hooks remove takes out what stands under events that we no longer ask for, even twice', async () => {
  const old = '{"hooks": [{"command": "loadout hook claude Stop"}]}'
  const home = makeProject({ [SETTINGS]: `{"hooks": {"Stop": [${old}, 1], "Stop": [2, ${old}], "Stop": [${old}]}}` })
  await loadoutAt(home).agents.removeHooks(CLAUDE)
  expect(read(home)).toBe('{"hooks": {"Stop": [ 1], "Stop": [2]}}')
})

function isPlain(text: string): boolean {
  const body = text.replace(/^\ufeff/, '')
  try {
    return body.trim() === '' || JSON.parse(body) !== undefined
  } catch {
    return false
  }
}

describe('what is refused, with nothing written', () => {
  const REFUSED: [what: string, text: string, message: RegExp][] = [
    ['no value', '{\n  "a": \n}', /not valid JSON: value expected at line 3, column 1$/m],
    ['no comma', '{\n  "a": 1\n  "b": 2\n}', /comma expected at line 3, column 3/],
    ['no end', '{\n  "hooks": {', /at line 2, column 13/],
    ['a comment without an end', '{ "a": 1 }\n /* ', /line 2, column 2/],
    ['two values', '{} {}', /something follows the end at line 1, column 4/],
    ['words', 'model = x', /line 1, column 1/],
    ['a list', '[]', /the file is a list, not an object: see line 1, column 1/],
    ['hooks as a list', '{\n  "hooks": []\n}', /"hooks" is a list, not an object: see line 2, column 12/],
    ['hooks as nothing', '{"hooks": null}', /"hooks" is a single value, not an object/],
    ['an event as an object', '{"hooks": {"SessionStart": {}}}', /"hooks\.SessionStart" is an object, not a list/],
    ['hooks twice', '{"hooks": {},\n"hooks": {}}', /"hooks" is there twice: see line 2, column 1/],
    ['an event twice', '{"hooks": {"PostToolUse": [], "PostToolUse": []}}', /"hooks\.PostToolUse" is there twice/],
    ['something very deep', '['.repeat(200_000), /nested too deeply|not valid JSON/],
  ]
  it.each(REFUSED)('%s', async (_, text, message) => {
    const home = makeProject({ [SETTINGS]: text })
    const before = treeOf(home)
    const both = { agents: ['codex', 'claude'] }
    await expect(loadoutAt(home).agents.installHooks(both)).rejects.toThrow(message)
    await expect(loadoutAt(home).agents.removeHooks(both)).rejects.toThrow(message)
    expect(treeOf(home), 'not even the file that would be fine').toEqual(before)
  })

  it.each([
    ['a folder in the place of the file', aFolder, 'is a folder'],
    ['a link that leads nowhere', aLinkTo('/nowhere/settings.json'), 'does not exist'],
    ['bytes that are no text', new Uint8Array([0x7b, 0xff, 0x7d]), 'not UTF-8'],
  ])('%s', async (_, content, message) => {
    const home = makeProject({ [SETTINGS]: content })
    const before = treeOf(home)
    await expect(loadoutAt(home).agents.installHooks(CLAUDE)).rejects.toThrow(message)
    expect(treeOf(home)).toEqual(before)
  })
})
